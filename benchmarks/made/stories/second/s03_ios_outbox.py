"""Claude Code, Swift: pasted build logs, two compactions, an offline outbox half done; the last topic is TestFlight's version number."""

from benchmarks.made.record import Claude, explore, filler, log

W = ["Visit", "Outbox", "Photo", "Upload", "Store", "Patient"]


def xcode(n, tail, seed=1):
    return (
        log(
            "CompileSwift normal arm64 /Users/tomasz/Dev/Rundka/Rundka/{a}{b}.swift (in target 'Rundka' from project 'Rundka')",
            W,
            n,
            seed,
        )
        + "\n"
        + tail
    )


def session():
    s = Claude(
        "sw-offline-outbox",
        "/Users/tomasz/Dev/Rundka",
        "offline",
        "2026-10-12T06:44:00",
        "rundka-care/rundka-ios",
        version="2.1.338",
        model="claude-opus-4-6",
    )
    s.user(
        "Nurses lose visits when they are in cellar without network. App do POST directly and when it fails show alert and data is gone. I want outbox: save local first, send later. iOS 16 minimum, we have some old phones. SwiftUI app, backend is not my, I can not change API. Look please in code and say how you would do"
    )
    s.bash(
        "git log --oneline | head -5; find Rundka -name '*.swift' | head -40",
        "f90b1aa Visit form: blood pressure\n2c66d0e Photos: 1600px\n71aa0b3 Login with PIN\n0d4c5ee fix crash on empty route\n9b7ee21 build 212\n"
        + log("Rundka/{a}/{a}{b}.swift", W, 24, 5),
    )
    s.read("Rundka/Visit/VisitForm.swift", filler("ts", W, 90, 31))
    s.read("Rundka/Net/API.swift", filler("ts", W, 80, 32))
    s.grep(
        "func post",
        "Rundka/Net/API.swift:52:    func postVisit(_ visit: Visit) async throws -> VisitID\nRundka/Net/API.swift:71:    func postPhoto(_ data: Data, visit: VisitID) async throws",
    )
    explore(s, W, 5, "ts", "swift", "Rundka")
    s.say(
        "The visit gets its id from the **server** (`postVisit` returns `VisitID`), and photos need that id. So the outbox must send in order: visit first, then its photos with the new id.\n\nFor storage I see SwiftData (iOS 17 only, so out), Core Data, or plain JSON files in Application Support. I would take Core Data.",
        end=True,
    )
    s.user("Core Data I hate. one entity and you have 400 lines. is files enough?")
    s.say(
        "For some dozens of visits a day: yes. One folder per visit (`visit.json`, `photo-1.jpg` …), written atomically, removed when everything is sent. Easier to debug too, and photos don't belong in a database anyway.",
        end=True,
    )
    s.user("ok files. do it. important: patient data, so file protection complete, and nothing of it in iCloud backup")
    s.todo(
        ("Outbox store (files)", "in_progress"),
        ("Sender, in order", "pending"),
        ("VisitForm writes to outbox", "pending"),
        ("Banner with count", "pending"),
        ("Tests", "pending"),
    )
    s.say(
        "Before I write it, the shape, so you can stop me early.\n\n`OutboxStore` is an actor that owns one folder in Application Support. Each visit is a folder with a name made of the time and eight random characters (`20261012-0931-4fk2m8zq`), so that sorting by name is sorting by time. In it `visit.json`, the photos, later `sent.json`. Writing goes to `name.tmp` first and is renamed, so a folder without `.tmp` is complete. No index file: the folder *is* the index, there is nothing that could disagree with it.\n\n`OutboxSender` walks the folders in order. One after the other, never two at the same time, since the backend has answered 500 when two photos of one visit came at once (there's a comment in API.swift about that from March).\n\nThe form only talks to the store. So a test can run without any network, and the sender can be tested with a folder made by hand."
    )
    s.user("sounds good. why eight random char, is time not enough")
    s.say(
        "Two phones never share a folder, so on one phone the time to the second would nearly do. But `clientRef` has to be unique over *all* phones if the server ever looks at it, and two nurses can press *save* in the same second. Eight characters of 32 make that safe."
    )
    s.write(
        "Rundka/Outbox/OutboxStore.swift",
        "import Foundation\n\n/// One folder per visit; complete file protection, excluded from backup.\nactor OutboxStore {\n"
        + filler("ts", W, 70, 33)
        + "\n}\n",
    )
    s.write(
        "Rundka/Outbox/OutboxSender.swift",
        "import Foundation\n\n/// Sends visits in order of their making, photos after their visit.\nactor OutboxSender {\n"
        + filler("ts", W, 60, 34)
        + "\n}\n",
    )
    s.write("RundkaTests/OutboxTests.swift", "import XCTest\n@testable import Rundka\n" + filler("ts", W, 60, 35))
    s.bash(
        "xcodebuild test -scheme Rundka -destination 'platform=iOS Simulator,name=iPhone 14,OS=16.4' 2>&1 | tail -40",
        xcode(
            20,
            "/Users/tomasz/Dev/Rundka/Rundka/Outbox/OutboxStore.swift:41:13: error: actor-isolated instance method 'write' can not be referenced from a non-isolated context\n\n** TEST FAILED **",
        ),
        65,
    )
    s.edit(
        "Rundka/Outbox/OutboxStore.swift",
        "    func write(_ visit: Draft) throws {",
        "    nonisolated func write(_ visit: Draft) throws {",
    )
    s.bash(
        "xcodebuild test -scheme Rundka -destination 'platform=iOS Simulator,name=iPhone 14,OS=16.4' 2>&1 | tail -40",
        xcode(
            20,
            "Test Case '-[RundkaTests.OutboxTests testOrder]' passed (0.021 seconds).\nTest Case '-[RundkaTests.OutboxTests testPhotoWaitsForVisit]' passed (0.018 seconds).\nTest Case '-[RundkaTests.OutboxTests testCrashBetween]' failed (0.044 seconds).\nRundkaTests/OutboxTests.swift:58: error: XCTAssertEqual failed: (\"2\") is not equal to (\"1\")\n** TEST FAILED **",
            2,
        ),
        65,
    )
    s.say(
        "`testCrashBetween` is a real problem and not only of the test: when the app dies **after** the POST and before the folder is removed, the visit is sent twice. The API has no idempotency key."
    )
    s.user("API has field clientRef in visit, nobody use it. maybe server check it? I ask Paweł")
    s.say(
        "If the server refuses a second visit with the same `clientRef`, that solves it. Until we know, I write the server's id into the folder (`sent.json`) right after the answer, so the window is only between POST and that write."
    )
    s.edit(
        "Rundka/Outbox/OutboxSender.swift",
        "        let id = try await api.postVisit(draft.visit)",
        "        var visit = draft.visit\n        visit.clientRef = draft.folderName\n        let id = try await api.postVisit(visit)\n        try store.markSent(draft, as: id)",
    )
    s.bash(
        "xcodebuild test -scheme Rundka -destination 'platform=iOS Simulator,name=iPhone 14,OS=16.4' 2>&1 | tail -12",
        xcode(
            4,
            "Test Case '-[RundkaTests.OutboxTests testCrashBetween]' passed (0.040 seconds).\nExecuted 41 tests, with 0 failures (0 unexpected) in 6.112 seconds\n** TEST SUCCEEDED **",
            3,
        ),
    )
    s.commit("Outbox: store and sender", ["Rundka/Outbox", "RundkaTests/OutboxTests.swift"], 310, 0, sha="7d20c4e")
    s.user(
        "old version keep one draft in UserDefaults 'draftVisit' when nurse close the form. what happen with it after update"
    )
    explore(s, W, 3, "ts", "swift", "Rundka")
    s.say(
        "It would stay there and never be shown again: the new form doesn't read that key. I'd move it once, at the first start after the update:\n\n1. read `draftVisit`; if it decodes as a visit, write it to the outbox as *not ready* (it has no signature yet), so it isn't sent but can be opened\n2. if it doesn't decode, leave it alone, since throwing away data that we can't read is worse than keeping 4 KB\n3. remove the key only after the folder is on disk\n\nThere can be one draft only, so no order to think about. About the size that you asked for earlier: five photos of 1600 px are 2.5 MB together, with 30 visits a day in a cellar that is 75 MB, no problem for the phones you named."
    )
    s.edit("Rundka/App.swift", "    init() {", '    init() {\n        OldDraft.moveToOutbox(key: "draftVisit")')
    s.user("good. and when server say 400, this will never go through. then what? you delete??")
    s.say(
        "Not without you. A 400 means the server will refuse it tomorrow, too, so trying again is pointless, but the data is a nurse's work and maybe the only record of a visit. Proposal: it moves to a folder `refused`, stays there for ever, and the list shows it in red with the server's message, with a button to send again after correction."
    )
    s.user("yes. NEVER delete patient data by app. red list ok")
    s.edit(
        "Rundka/Outbox/OutboxSender.swift",
        "        try store.markSent(draft, as: id)",
        "        try store.markSent(draft, as: id)\n    } catch APIError.status(400) {\n        try store.moveToRefused(draft)",
    )
    s.user("Paweł say: server returns 409 with the existing id in body when clientRef is same. so we are safe")
    s.say("Very good, then 409 counts as sent, with the id from the body.")
    s.edit(
        "Rundka/Net/API.swift",
        "        guard http.statusCode == 201 else { throw APIError.status(http.statusCode) }",
        "        guard http.statusCode == 201 || http.statusCode == 409 else { throw APIError.status(http.statusCode) }",
    )
    s.bash(
        "xcodebuild test -scheme Rundka 2>&1 | tail -5",
        "Executed 42 tests, with 0 failures (0 unexpected) in 6.204 seconds\n** TEST SUCCEEDED **",
    )
    s.compact("""The user (Tomasz) builds an offline outbox for the nurse app Rundka. Facts:
- iOS 16 minimum, API can't be changed. File-based store (user rejected Core Data), folder per visit, complete file protection, no iCloud backup.
- `Rundka/Outbox/OutboxStore.swift`, `OutboxSender.swift` done, committed 7d20c4e. 409 = already there (clientRef), id from body; this change in API.swift is not committed.
- 42 tests pass.
- To do: VisitForm writes to outbox, banner with count, background sending.
- Tomasz mentioned: phones are shared between shifts, so the outbox must survive logout of one nurse and be sent under HER token, not the next one's.""")
    s.say("Next is the form.")
    s.edit(
        "Rundka/Visit/VisitForm.swift",
        "                try await api.postVisit(visit)",
        "                try outbox.write(Draft(visit, photos: photos))",
    )
    s.bash(
        "git commit -qam 'VisitForm writes to the outbox; 409 counts as sent' && git log --oneline -1",
        "b1e55a0 VisitForm writes to the outbox; 409 counts as sent",
    )
    s.say("Now sending in the background. I use `BGAppRefreshTask`, registered at start-up.")
    s.write(
        "Rundka/Outbox/BackgroundSend.swift",
        'import BackgroundTasks\n\nenum BackgroundSend {\n    static let id = "care.rundka.outbox"\n    static func register() { BGTaskScheduler.shared.register(forTaskWithIdentifier: id, using: nil) { handle($0 as! BGAppRefreshTask) } }\n}\n',
    )
    s.user(
        "I test on my phone, put app in background in cellar, went out, 40 minutes nothing is sent. log:\n\n```\n"
        + log(
            "07:{i}2:11.402 Rundka[4411:9921{n}] [BackgroundTask] {a} scheduled, discretionary, budget 0.{n}", W, 14, 9
        )
        + "\n07:58:40.118 Rundka[4411:99210] BGTaskScheduler: care.rundka.outbox not launched: low usage score\n```"
    )
    s.say(
        "iOS decides when (or whether) a refresh task runs; 'low usage score' is its way of saying no. For uploads the right tool is a **background URLSession**: the system sends by itself as soon as there is network, even when the app isn't running. It takes files, and we have files."
    )
    s.bash("rm Rundka/Outbox/BackgroundSend.swift && git status -s", " M Rundka.xcodeproj/project.pbxproj")
    s.write(
        "Rundka/Outbox/UploadSession.swift",
        "import Foundation\n\n/// Background URLSession: one upload task per file, the visit's answer starts its photos.\nfinal class UploadSession: NSObject, URLSessionDataDelegate {\n"
        + filler("ts", W, 66, 36)
        + "\n}\n",
    )
    s.edit(
        "Rundka/Outbox/OutboxSender.swift",
        "        let id = try await api.postVisit(visit)",
        '        session.upload(store.file(draft, "visit.json"), as: .visit(draft.folderName))',
    )
    s.bash(
        "xcodebuild test -scheme Rundka 2>&1 | tail -30",
        xcode(
            6,
            "RundkaTests/OutboxTests.swift:31: error: testOrder : failed - timed out waiting for upload\nTest Case '-[RundkaTests.OutboxTests testOrder]' failed (10.004 seconds).\nExecuted 42 tests, with 3 failures (0 unexpected) in 31.9 seconds\n** TEST FAILED **",
            4,
        ),
        65,
    )
    s.say(
        "Background sessions ignore `URLProtocol` stubs, so the three sender tests can't intercept them. The session goes behind a small protocol `Uploading`, the tests give a fake."
    )
    s.write("Rundka/Outbox/Uploading.swift", "protocol Uploading {\n    func upload(_ file: URL, as part: Part)\n}\n")
    s.edit(
        "RundkaTests/OutboxTests.swift",
        "        sender = OutboxSender(api: stubbed)",
        "        sender = OutboxSender(session: FakeUploads())",
    )
    s.bash(
        "xcodebuild test -scheme Rundka 2>&1 | tail -4",
        "Executed 42 tests, with 0 failures (0 unexpected) in 5.950 seconds\n** TEST SUCCEEDED **",
    )
    s.bash(
        "git add -A && git commit -qm 'Send through a background URLSession' && git log --oneline -1",
        "93fa6d7 Send through a background URLSession",
    )
    s.user("works on phone!! 20 seconds after I come out of cellar. super")
    s.say(
        "Good to hear. For the record, what the branch does at this point, since it has become a lot:\n\n| part | state |\n| --- | --- |\n| store, one folder per visit | done |\n| old draft from UserDefaults | done |\n| refused (400) | moved aside, the red list itself isn't drawn yet |\n| background sending | done, works on your phone |\n| banner | open |\n| shared phones / token | open |\n\nThe red list needs a place in the UI. I'd put it below the banner."
    )
    explore(s, W, 3, "ts", "swift", "Rundka")
    s.say(
        "With complete file protection there is one catch I want to check: while the phone is **locked** the system can't read the files, so a background upload fails with `NSFileReadNoPermission`."
    )
    s.bash(
        "log show --predicate 'process == \"nsurlsessiond\"' --last 30m | grep -i rundka | tail -4",
        "2026-10-12 09:31:07 nsurlsessiond: Task <2F1A>.<3> for client <care.rundka> file not readable (257), will retry\n2026-10-12 09:33:44 nsurlsessiond: Task <2F1A>.<3> for client <care.rundka> resumed after unlock",
    )
    s.say(
        "Confirmed: it fails while locked and resumes after unlock. With `completeUntilFirstUserAuthentication` it would go through when locked too, but that's weaker than what you asked for. I left `complete`; it's a question for you and whoever is responsible for data protection.",
        end=True,
    )
    s.user(
        "one more log, crash from TestFlight, is it from your code?\n\n"
        + log("{i}  Rundka  0x00000001048{n}  ${a}{b}ViewModel.{b}() + {n}", W, 26, 62)
        + "\nException: NSInternalInconsistencyException, invalid number of rows in section 0"
    )
    explore(s, W, 2, "ts", "swift", "Rundka")
    s.say(
        "No: the build in TestFlight is 212, without anything of this branch. The trace goes through `RouteViewModel` and a table that is updated twice at the same time, once by the push message and once by pull-to-refresh. It's the same one that `0d4c5ee` tried to fix (*crash on empty route*), so that fix wasn't enough. A diffable data source would be, since it takes one state after the other.",
        end=True,
    )
    s.user("ok not now, I know this one")
    s.user("leave complete. our data protection officer is strict, I don't want to discuss. nurses unlock phone anyway")
    s.compact(
        """Outbox for Rundka (iOS 16+). State: form writes to the outbox, `UploadSession` (background URLSession) sends, tests with FakeUploads, 42 pass, commits 7d20c4e, b1e55a0, 93fa6d7 on branch offline, not pushed. BGAppRefreshTask was tried and removed (iOS did not launch it). Protection stays `complete` by the user's decision; uploads wait for unlock.
Remaining: banner with the count of waiting visits; the token: uploads must carry the token of the nurse who made the visit (shared phones).""",
        trigger="manual",
    )
    s.command("compact", "keep the token thing", "Compacted")
    s.user("go on")
    s.say(
        "I go on with the token. The header is set when the task is made, with the token that is current then. A nurse who logs out before it is sent would be wrong only if the tasks were made later, and they are: `resumePending()` at start makes tasks for all folders with whoever is logged in."
    )
    s.edit(
        "Rundka/Outbox/OutboxStore.swift",
        "struct Draft: Codable {",
        "struct Draft: Codable {\n    /// Keychain key of the nurse's refresh token, not the token itself.\n    let owner: String",
    )
    s.user(
        'stop with that for a moment, TestFlight refuses my build:\n\nERROR ITMS-90478: Invalid Version. The build with the version "212" can\'t be imported because a later version has been closed for new build submissions. Choose a different version number.\n\nwhere is this number'
    )
    s.grep(
        "CURRENT_PROJECT_VERSION",
        "Rundka.xcodeproj/project.pbxproj:611:\t\t\t\tCURRENT_PROJECT_VERSION = 212;\nRundka.xcodeproj/project.pbxproj:640:\t\t\t\tCURRENT_PROJECT_VERSION = 212;",
    )
    s.bash(
        "xcrun agvtool new-version -all 214",
        'Setting version of project Rundka to:\n    214.\nAlso setting CFBundleVersion key (assuming it exists)\n    Updated CFBundleVersion in "Rundka.xcodeproj/../Rundka/Info.plist" to 214',
    )
    s.say(
        "It's `CURRENT_PROJECT_VERSION` (twice in project.pbxproj). I set 214 with `agvtool`, since 213 may be the closed one."
    )
    s.user("214 is accepted, thank you")
    s.say("Good. The version change is not committed, nor is `owner` in `Draft`.", end=True)
    return s


KEY = {
    "end_state": "Outbox writes and sends through a background URLSession, three commits, not pushed. Uncommitted: Draft.owner (the token of the nurse who made the visit) just begun, and build number 214. Banner not begun.",
    "goal": (
        "Offline outbox: visits are saved locally first and sent later",
        "I want outbox",
        [["outbox", "save local"], ["outbox", "offline"], ["outbox", "nurse"], ["lose visits"]],
    ),
    "decisions": [
        (
            "Folder name = time + eight random characters = clientRef, unique over all phones",
            "has to be unique over *all* phones",
            [["eight random"], ["clientref", "unique"], ["random", "two nurses"]],
        ),
        (
            "One upload after the other: the backend answers 500 to two photos at once",
            "never two at the same time",
            [["500", "two photos"], ["never two at the same time"], ["one after the other", "photos"]],
        ),
        (
            "The old draft in UserDefaults (draftVisit) is moved into the outbox once",
            "I'd move it once",
            [["draftvisit", "outbox"], ["old draft", "userdefaults"], ["draftvisit", "first start"]],
        ),
        (
            "Files, one folder per visit, instead of Core Data",
            "ok files. do it",
            [["folder per visit"], ["files", "core data"]],
        ),
        (
            "Background URLSession sends",
            "the right tool is a **background URLSession**",
            [["background urlsession"], ["background session"]],
        ),
        (
            "409 counts as sent, with the id from the body (clientRef)",
            "then 409 counts as sent",
            [["409", "clientref"], ["409", "sent"], ["409", "existing id"]],
        ),
        (
            "Protection stays complete; uploads wait until the phone is unlocked",
            "leave complete",
            [["protection", "complete", "unlock"], ["leave complete"], ["left complete"], ["protection stays"]],
            {"by": "user"},
        ),
        (
            "Order: the visit first, then its photos with the server's id",
            "visit first, then its photos",
            [["visit first"], ["photos", "after their visit"], ["visit's answer starts its photos"]],
        ),
        (
            "Uploading protocol with a fake for the tests",
            "behind a small protocol",
            [["uploading", "fake"], ["fakeuploads", "tests"]],
        ),
        (
            "The draft keeps the Keychain key of its nurse's token, not the token",
            "not the token itself",
            [["keychain key"], ["draft", "owner"]],
        ),
    ],
    "failed": [
        (
            "BGAppRefreshTask: iOS did not launch it (low usage score)",
            "low usage score",
            [
                ["bgapprefreshtask", "not launch"],
                ["low usage score"],
                ["refresh task", "ios decides"],
                ["bgapprefreshtask", "tried"],
            ],
        ),
        (
            "URLProtocol stubs don't reach background sessions",
            "ignore `URLProtocol` stubs",
            [["urlprotocol", "ignore"], ["urlprotocol", "stubs"]],
        ),
        (
            "A crash between POST and removal sent a visit twice",
            "the visit is sent twice",
            [["crash", "twice"], ["sent twice"], ["crashbetween", "post"]],
        ),
        ("SwiftData needs iOS 17", "iOS 17 only", [["swiftdata", "17"]]),
    ],
    "constraints": [
        (
            "The app never deletes patient data: refused visits (400) are kept and listed in red",
            "NEVER delete patient data",
            [["never delete patient data"], ["refused", "in red"], ["400", "refused"]],
        ),
        ("iOS 16 is the minimum", "iOS 16 minimum", [["ios 16"]]),
        (
            "The API can't be changed",
            "can not change API",
            [["can not change api"], ["api can't be changed"], ["backend is not my"]],
        ),
        (
            "Complete file protection, nothing in the iCloud backup",
            "file protection complete",
            [["icloud"], ["excluded from backup"]],
        ),
        (
            "Phones are shared: a visit is sent under the token of the nurse who made it",
            "under HER token",
            [["shared", "token"], ["her token"], ["token of the nurse"]],
        ),
    ],
    "open": [
        (
            "The red list of refused visits isn't drawn yet",
            "the red list itself isn't drawn yet",
            [["red list", "refused"], ["refused", "isn't drawn"]],
        ),
        (
            "Banner with the number of waiting visits",
            "banner with the count",
            [["banner", "count"], ["banner", "waiting"]],
        ),
        (
            "Build number 214 is not committed",
            "The version change is not committed",
            [["version change", "not committed"], ["214", "not committed"]],
        ),
    ],
    "next": (
        "Finish the token: uploads use the owner of the draft, also in resumePending()",
        "resumePending()",
        [["resumepending", "token"], ["owner", "draft"], ["token of the nurse", "uploads"], ["i go on with the token"]],
    ),
    "needed": [
        (
            "Draft.owner is begun and uncommitted; resumePending() uses whoever is logged in",
            "with whoever is logged in",
            [
                ["whoever is logged in"],
                ["owner", "draft", "not committed"],
                ["nor is owner"],
                ["resumepending", "folders"],
            ],
            {"weight": 3},
        ),
        (
            "Three commits on branch offline, not pushed",
            "not pushed",
            [["93fa6d7", "not pushed"], ["not pushed", "offline"], ["7d20c4e", "b1e55a0"], ["93fa6d7", "background"]],
            {"weight": 2},
        ),
        ("42 tests pass (before owner)", "in 5.950 seconds", [["42 tests"], ["42 pass"]], {"weight": 1}),
        (
            "It works on the user's phone, twenty seconds after the cellar",
            "works on phone!!",
            [["works on", "phone", "cellar"], ["works on phone"], ["20 seconds", "cellar"]],
            {"weight": 1},
        ),
        (
            "Build number 214 is accepted by TestFlight",
            "214 is accepted",
            [["214", "accepted"], ["214", "agvtool"], ["214", "testflight"]],
            {"weight": 1},
        ),
    ],
    "checks": [("xcodebuild test -scheme Rundka", "in 5.950 seconds", "pass")],
    "traps": [
        (
            "The build number is the goal",
            None,
            [["goal: testflight"], ["goal\n- stop with that"], ["request: stop with that"]],
        ),
        ("Core Data is the storage", None, [["i would take core data"]]),
        (
            "Sending goes through BGAppRefreshTask",
            None,
            [["i use `bgapprefreshtask`, registered"], ["uses bgapprefreshtask"]],
        ),
        ("API.swift's 409 is uncommitted", None, [["this change in api.swift is not committed"]]),
        ("VisitForm is still to be wired", None, [["to do: visitform writes to outbox"], ["next is the form"]]),
        ("Three sender tests fail", None, [["with 3 failures"], ["timed out waiting for upload"]]),
    ],
}
NEXT = {
    "goal": "An offline outbox in the iOS app Rundka: visits are saved locally and sent when there is network.",
    "next": "Finish Draft.owner: uploads (also those of resumePending()) carry the token of the nurse who made the visit; then the banner.",
    "state": "Form, store and background sending work and are in three unpushed commits on branch offline; Draft.owner and build number 214 are uncommitted.",
}
CLAIMS = (
    ("State", "Visits are sent through a background URLSession; committed as `93fa6d7`."),
    ("State", "Build number 214 was set with `agvtool` and is not committed."),
    ("Decisions", "User: file protection stays complete, uploads wait for the unlock."),
    ("Dead ends", "BGAppRefreshTask: iOS did not launch it in 40 minutes."),
    ("Decisions", "A 409 counts as sent because the server knows the clientRef."),
    (
        "State",
        "Everything is committed and pushed on branch offline.",
        "push",
        "Nothing was pushed, two changes are uncommitted.",
    ),
    ("Decisions", "Drafts are kept in Core Data, one entity.", "file", "Files; the user hates Core Data."),
    ("State", "The banner with the count of waiting visits is built.", "file", "Not begun."),
    (
        "State",
        "Uploads use the token of the nurse who made the visit; tested, 43 tests pass.",
        "test",
        "Only the field was begun, no test ran.",
    ),
    (
        "Decisions",
        "User agreed to completeUntilFirstUserAuthentication.",
        "user-said",
        "The user said to leave complete.",
    ),
)
