"""Codex with scripts, a docs site moved between generators: a refused plan, long builds polled, redirects open, a logo last."""

from benchmarks.made.record import CodexScripts, explore, log

P = ["guides", "api", "install", "recipes", "sdk", "faq"]


def build(n, tail):
    return log("  ├─ /{a}/{b}-{i}/index.html (+{n}ms)", P, n, n) + "\n" + tail


def session():
    s = CodexScripts(
        "docs-site-move", "/home/priya/docs.kestrel", "starlight", "2026-09-08T10:02:00", "kestrel-db/docs"
    )
    s.user(
        "ok so we're moving docs from docusaurus 2 to astro starlight. 214 pages, 3 versions (1.x, 2.x, 3.x), mdx with ~9 custom components. everything must keep its URL or get a redirect, SEO person will kill me otherwise. node 20, deploy on netlify. start w/ an inventory"
    )
    s.many(
        (
            "find docs versioned_docs -name '*.md*' | wc -l; ls src/components; cat docusaurus.config.js | head -60",
            "214\nBadge.jsx\nCardGrid.jsx\nCodeTabs.jsx\nFeatureMatrix.jsx\nParamTable.jsx\nPlayground.jsx\nSinceVersion.jsx\nVideo.jsx\nWarn.jsx\nmodule.exports = {\n  title: 'Kestrel DB',\n  baseUrl: '/',\n  trailingSlash: false,",
        ),
        (
            "rg -c '<(Badge|CodeTabs|ParamTable|Playground|FeatureMatrix)' docs versioned_docs | sort -t: -k2 -nr | head -8",
            log("docs/{a}/{b}.mdx:{n}", P, 8, 71),
        ),
        (
            "cat netlify.toml",
            '[build]\n  command = "yarn build"\n  publish = "build"\n\n[[redirects]]\n  from = "/blog/*"\n  to = "https://kestrel.example/blog/:splat"',
        ),
    )
    s.say(
        "214 pages; 61 use custom components, `CodeTabs` in 48 of them and `Playground` in 7. Two things that will bite: `trailingSlash: false` (Starlight's default adds one) and versions: Starlight has no versioning of its own.\n\nFor versions I'd use the community plugin `starlight-versions`.",
        end=True,
    )
    s.user("what about search, we had no search at all until now bc algolia refused us twice")
    explore(s, P, 3, "ts", "mdx", "docs")
    s.say(
        "Starlight brings **Pagefind**: an index made at build time, searched in the browser, nothing to apply for. For 214 pages it's about 1.2 MB in small pieces of which a visitor loads 60 to 90 KB for a query. Limits you'd notice: no synonyms, and code in backticks is split at dots and underscores, so `kestrel.open_ro` is found by `open` but ranked low. Versions have to be kept apart by a filter attribute, else 2.x answers come up for people on 3.x.\n\nAlgolia's ranking is better, but they decide whether you may have it.",
        end=True,
    )
    s.user("pagefind. filter by version yes")
    s.user(
        "no plugin for versions, the last one was abandoned after a year and we sat there. 1.x can be frozen as static html under /1.x/, nobody edits it. 2.x and 3.x as two folders w/ sidebars"
    )
    s.update_plan(
        ("scaffold + config", "in_progress"),
        ("codemod mdx", "pending"),
        ("components", "pending"),
        ("freeze 1.x", "pending"),
        ("redirects", "pending"),
        ("link check", "pending"),
    )
    s.many(
        (
            "npm create astro@latest -- --template starlight --no-install --yes site && cd site && npm i",
            "added 412 packages in 31s\n3 moderate severity vulnerabilities",
        ),
        ("node --version", "v20.17.0"),
    )
    s.write(
        "site/astro.config.mjs",
        "import starlight from '@astrojs/starlight';\nexport default {\n  site: 'https://docs.kestrel.example',\n  trailingSlash: 'never',\n  build: { format: 'file' },\n  integrations: [starlight({ title: 'Kestrel DB', sidebar: sidebars('2.x', '3.x') })],\n};\n",
    )
    s.write(
        "scripts/codemod.mjs",
        "// Docusaurus MDX to Starlight MDX: admonitions, imports, front matter, CodeTabs.\nimport { visit } from 'unist-util-visit';\n",
    )
    s.bash(
        "node scripts/codemod.mjs docs versioned_docs/version-2.x site/src/content/docs",
        "converted 171 files, 12 with warnings\n" + log("warn {a}/{b}.mdx: unknown directive :::{a}", P, 12, 72),
    )
    run = s.start("cd site && npm run build", "astro v4.15.4 building…")
    run = s.poll(run, build(20, ""))
    s.poll(
        run,
        "[ERROR] [MDXError] 3.x/api/query.mdx:88:14: Expected a closing tag for `<ParamTable>` before the end of `paragraph`",
        1,
    )
    s.say(
        "MDX 3 is stricter than MDX 1: an inline component can't have a blank line inside. 23 files have that. The codemod can fold those blocks."
    )
    s.edit(
        "scripts/codemod.mjs",
        "// Docusaurus MDX to Starlight MDX: admonitions, imports, front matter, CodeTabs.",
        "// Docusaurus MDX to Starlight MDX: admonitions, imports, front matter, CodeTabs.\n// MDX 3: no blank line inside of a component that stands in a paragraph.\nconst foldBlocks = (text) => text.replace(OPEN_TO_CLOSE, (m) => m.replace(/\\n\\n+/g, '\\n'));",
    )
    run = s.start(
        "node scripts/codemod.mjs docs versioned_docs/version-2.x site/src/content/docs && cd site && npm run build"
    )
    run = s.poll(run, build(24, ""), None, 60)
    s.poll(run, "171 page(s) built in 48.20s\nComplete!", 0, 20)
    s.bash("git add -A && git commit -q -m 'starlight: scaffold, codemod, 171 pages build'", "")
    s.user("how do i look at it")
    s.bash(
        "cd site && npx netlify deploy --build=false --dir dist --alias starlight-preview 2>&1 | tail -5",
        "Error: Not authorized. Run netlify login",
        1,
    )
    s.say("I'm not logged in to Netlify here. Locally: `cd site && npm run preview`, http://localhost:4321.", end=True)
    s.user(
        'colleague of mine looked over my shoulder, his notes:\n- h1 twice on every page (title + # heading)\n- sidebar of 2.x shows 3.x pages when you come from search\n- code blocks: no title bar like before (title="kestrel.toml")\n- dark mode flash\n- german umlauts in anchors broken? (#größe)'
    )
    explore(s, P, 3, "ts", "mdx", "site/src")
    s.say(
        "One by one:\n\n1. *h1 twice*: Starlight makes the h1 from the front matter's title; the codemod should drop a first `#` heading when it equals the title. It does so in 148 files; in 23 it differs (title *Install*, heading *Installing Kestrel*). I keep the heading's words as the title there, since that's what search engines have.\n2. *sidebar*: a result opens the right page, but the sidebar is chosen by the version in local storage instead of by the path. By the path is right.\n3. *title bar*: Starlight's Expressive Code takes `title=\"…\"` as it is; Docusaurus' highlight comments (`// highlight-next-line`) it doesn't know, that's 37 places, the codemod turns them into `{n}` markers.\n4. *flash*: I can't see one in Chromium; perhaps a browser extension.\n5. *umlauts*: Docusaurus made `#gr%C3%B6%C3%9Fe`, Starlight (github-slugger) makes `#größe`. Same thing for a browser."
    )
    s.edit(
        "scripts/codemod.mjs",
        "import { visit } from 'unist-util-visit';",
        "import { visit } from 'unist-util-visit';\n// a first heading becomes the title: that's what search engines know\n// highlight-next-line becomes {n}",
    )
    s.bash(
        "node scripts/codemod.mjs docs versioned_docs/version-2.x site/src/content/docs && git commit -qam 'codemod: titles, highlights; sidebar by path'",
        "converted 171 files, 12 with warnings",
    )
    s.user("looks good!! code tabs dont remember the language tho. old ones did (localstorage, synced over all pages)")
    explore(s, P, 4, "ts", "mdx", "docs")
    s.say(
        'Starlight\'s `<Tabs syncKey>` does exactly that; the codemod should turn `<CodeTabs>` into `<Tabs syncKey="lang">` instead of our port of the component.'
    )
    s.edit("scripts/codemod.mjs", "  name: 'CodeTabs',", "  name: 'Tabs', attributes: [syncKey('lang')],")
    s.bash("rm site/src/components/CodeTabs.astro && git commit -q -am 'CodeTabs: Starlight tabs with syncKey'", "")
    s.edit(
        "site/astro.config.mjs",
        "  integrations: [",
        "  // Pagefind filters by data-pagefind-filter=version, set in the page's frame\n  integrations: [",
    )
    s.say(
        "Where we are, so that you can tell your SEO person something:\n\n| item | state |\n| --- | --- |\n| 171 pages of 2.x and 3.x | build |\n| 9 components | 8 done, Playground open |\n| search with version filter | done |\n| 1.x | frozen pages missing |\n| redirects | not begun |\n| links | not checked |\n\nI'd do Playground, then links, then 1.x."
    )
    s.user("ok. she also wants plausible analytics instead of GA, script tag only on prod not previews")
    s.edit(
        "site/astro.config.mjs",
        "  trailingSlash: 'never',",
        "  trailingSlash: 'never',\n  // CONTEXT is Netlify's: no analytics in previews\n  ...(process.env.CONTEXT === 'production' ? { head: [plausible] } : {}),",
    )
    s.write(
        "site/src/components/Playground.astro",
        "---\n// The playground runs the wasm build of Kestrel: client:visible, 1.9 MB.\nimport Runner from './Runner.jsx';\n---\n<Runner client:visible {...Astro.props} />\n",
    )
    run = s.start("cd site && npm run build && npx linkinator dist --recurse --silent | tail -15")
    run = s.poll(run, build(22, "171 page(s) built in 47.02s"), None, 60)
    s.poll(
        run,
        log("[404] http://localhost/{a}/{b}-{n}", P, 14, 73)
        + "\nERROR: Detected 96 broken links. Scanned 4,410 links in 22 seconds.",
        1,
        30,
    )
    s.say(
        "96 broken links of 4,410. They are of two kinds: 71 relative `../x.md` links that Docusaurus resolved by file, and 25 into `/1.x/…`, which isn't frozen yet."
    )
    s.edit(
        "scripts/codemod.mjs",
        "const foldBlocks",
        "const byFile = (href, from) => (href.endsWith('.md') ? slugOf(resolve(dirname(from), href)) : href);\nconst foldBlocks",
    )
    s.many(
        (
            "node scripts/codemod.mjs docs versioned_docs/version-2.x site/src/content/docs",
            "converted 171 files, 12 with warnings",
        ),
        (
            "git checkout -q v1-last-build && ls build/1.x | head -4",
            "error: pathspec 'v1-last-build' did not match any file(s) known to git",
            1,
        ),
    )
    s.user(
        "1.x: theres a tarball of the last build on the s3 docs bucket, kestrel-docs-archive/1.x-2024-11.tgz. i downloaded it to ~/Downloads"
    )
    s.many(
        (
            "mkdir -p site/public/1.x && tar xzf ~/Downloads/1.x-2024-11.tgz -C site/public/1.x --strip-components=1 && find site/public/1.x -name '*.html' | wc -l",
            "43",
        ),
        ("du -sh site/public/1.x", "61M\tsite/public/1.x"),
    )
    s.say(
        "43 pages, but 61 MB: 55 of them are old screenshots as PNG. In git that's heavy for ever. I'd keep the folder out of git and have the Netlify build fetch the tarball."
    )
    s.user("yes out of git. build fetches it. bucket is public-read")
    s.write(
        "site/scripts/fetch-1x.sh",
        "#!/bin/sh\n# The frozen 1.x pages: 61 MB that don't belong in git.\nset -e\ncurl -fsSL https://kestrel-docs-archive.s3.example/1.x-2024-11.tgz | tar xz -C public/1.x --strip-components=1\n",
    )
    s.edit(
        "netlify.toml",
        '  command = "yarn build"\n  publish = "build"',
        '  base = "site"\n  command = "sh scripts/fetch-1x.sh && npm run build"\n  publish = "dist"',
    )
    run = s.start("cd site && npm run build && npx linkinator dist --recurse --silent | tail -6")
    s.poll(
        run,
        build(
            20,
            "[404] http://localhost/2.x/recipes/backup-old\n[404] http://localhost/3.x/sdk/rust-async\nERROR: Detected 2 broken links. Scanned 4,716 links in 25 seconds.",
        ),
        1,
        90,
    )
    s.say(
        "2 left, both dead in the old site as well (pages that were deleted). I leave them for you: `2.x/recipes/backup-old`, `3.x/sdk/rust-async`."
    )
    s.bash(
        "echo public/1.x >> site/.gitignore && git add -A && git commit -q -m '1.x fetched at build; links by file' && git push -q -u origin starlight && gh pr create --draft --title 'Docs: Starlight' --body 'wip' | tail -1",
        "https://github.com/kestrel-db/docs/pull/77",
    )
    s.say("Draft PR 77 is open.", end=True)
    s.user(
        "now redirects. the seo person sent the list of 530 urls google knows (urls.txt). make sure each is 200 or 301"
    )
    s.write("scripts/check-urls.mjs", "// Each line of urls.txt must be a page of dist or a rule of _redirects.\n")
    s.bash(
        "node scripts/check-urls.mjs urls.txt site/dist",
        "530 urls: 402 ok, 128 missing\n  by kind: 74 /docs/next/*, 31 ?utm or #hash, 23 renamed in 2023\n"
        + log("  missing /docs/next/{a}/{b}", P, 10, 74),
        1,
    )
    s.say(
        "128 of 530 are missing: 74 under `/docs/next/*` (one wildcard to `/3.x/:splat`), 31 aren't paths at all (query or hash, the checker should strip them), and 23 were renamed in 2023. For the 23 the old Docusaurus config has `@docusaurus/plugin-client-redirects` entries; I can turn those into rules."
    )
    s.user(
        "do the wildcard + strip. the 23: wait, i ask jonas if the renames are final, he wanted to rename them back for 3.x"
    )
    s.edit(
        "netlify.toml",
        '[[redirects]]\n  from = "/blog/*"',
        '[[redirects]]\n  from = "/docs/next/*"\n  to = "/3.x/:splat"\n  status = 301\n\n[[redirects]]\n  from = "/blog/*"',
    )
    s.edit("scripts/check-urls.mjs", "// Each line", "const path = (line) => new URL(line).pathname;\n// Each line")
    s.bash(
        "node scripts/check-urls.mjs urls.txt site/dist",
        "530 urls: 507 ok, 23 missing\n  by kind: 23 renamed in 2023",
        1,
    )
    s.bash("git commit -qam 'redirects: /docs/next; url check strips queries' && git push -q", "")
    s.say("507 of 530 are fine, the 23 renames wait for Jonas.")
    s.user("what do i tell seo person about ranking loss")
    s.say(
        "Honestly: a dip of two to six weeks is usual when the HTML of every page changes, even with the same URLs, since everything is crawled again. What keeps it small: same URLs and titles (done), 301 and not 302 (done), canonical of 2.x pages to their 3.x twin (was there in Docusaurus by a plugin; Starlight has none, it's one line in the head component; **not done yet**), a new sitemap submitted on the day, no `noindex` left over from previews. And 1.x should have `noindex`, as it's old; it's static, so by a header in netlify.toml.",
        end=True,
    )
    s.user("canonical yes pls later with the renames. noindex for 1.x no, people search for it")
    s.user("btw logo is blurry on retina, its the old png. theres an svg in brand/")
    s.many(
        (
            "ls brand && xmllint --format brand/kestrel-mark.svg | head -5",
            'kestrel-mark.svg\nkestrel-word.svg\n<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 120">',
        ),
        ("cp brand/kestrel-mark.svg site/src/assets/", ""),
    )
    s.edit(
        "site/astro.config.mjs",
        "title: 'Kestrel DB',",
        "title: 'Kestrel DB', logo: { src: './src/assets/kestrel-mark.svg' },",
    )
    s.say("The logo is the SVG now; built and looked at in the preview, sharp. Not committed yet.", end=True)
    s.user("nice")
    return s


KEY = {
    "end_state": "214 pages moved (171 converted, 43 frozen at /1.x/), draft PR 77 pushed. 507 of 530 URLs are fine; 23 renames wait for Jonas. The SVG logo is uncommitted. Two links are dead as before.",
    "goal": (
        "Docs move from Docusaurus 2 to Astro Starlight, every URL kept or redirected",
        "moving docs from docusaurus",
        [["docusaurus", "starlight"], ["starlight", "url"], ["moving docs"]],
    ),
    "decisions": [
        (
            "Search by Pagefind, filtered by version (Algolia refused twice)",
            "pagefind. filter by version yes",
            [["pagefind", "version"], ["pagefind", "algolia"]],
            {"by": "user"},
        ),
        (
            "Plausible analytics in production only, not in previews",
            "script tag only on prod",
            [["plausible", "prod"], ["analytics", "previews"]],
        ),
        (
            "1.x frozen as static HTML under /1.x/; 2.x and 3.x as two folders",
            "1.x can be frozen",
            [["1.x", "frozen", "static"], ["1.x", "static html"], ["two folders"]],
            {"by": "user"},
        ),
        (
            "1.x is kept out of git; the build fetches the tarball",
            "yes out of git",
            [["1.x", "out of git"], ["build fetches"], ["fetch-1x"], ["fetched at build"]],
        ),
        (
            "CodeTabs become Starlight tabs with syncKey",
            "does exactly that",
            [["codetabs", "synckey"], ["tabs", "synckey"]],
        ),
        (
            "No trailing slash (trailingSlash never, format file)",
            "Starlight's default adds one",
            [["trailingslash", "never"], ["trailingslash: false"], ["trailingslash", "default"]],
        ),
        (
            "/docs/next/* goes to /3.x/ by one wildcard; the URL check strips query and hash",
            "one wildcard to",
            [["docs/next", "wildcard"], ["docs/next", "3.x/:splat"], ["redirects: /docs/next"]],
        ),
        (
            "The codemod folds blank lines in components (MDX 3)",
            "MDX 3 is stricter",
            [["mdx 3"], ["codemod", "blank line"], ["codemod", "fold"]],
        ),
    ],
    "failed": [
        (
            "Plugin starlight-versions: refused, the last one was abandoned",
            "no plugin for versions",
            [
                ["no plugin for versions"],
                ["starlight-versions", "abandoned"],
                ["starlight-versions", "refused"],
                ["plugin", "abandoned"],
            ],
        ),
        ("Tag v1-last-build doesn't exist", "did not match any file(s)", [["v1-last-build"]]),
        (
            "Preview deploy: not logged in to Netlify",
            "Not authorized",
            [["netlify login"], ["not logged in", "netlify"], ["not authorized"]],
        ),
        ("1.x in git: 61 MB, screenshots", "61 MB: 55 of them", [["61 mb"]]),
    ],
    "constraints": [
        ("No noindex for 1.x", "noindex for 1.x no", [["noindex", "1.x"]]),
        (
            "Every URL stays or is redirected (SEO)",
            "everything must keep its URL",
            [["keep its url"], ["url", "redirect", "seo"], ["200 or 301"]],
        ),
        ("Node 20, Netlify", "deploy on netlify", [["node 20"], ["deploy on netlify"], ["netlify", "deploy"]]),
        ("The 23 renames: wait for Jonas", "i ask jonas", [["23", "jonas"], ["renames", "jonas"], ["renamed", "wait"]]),
    ],
    "open": [
        (
            "Canonical of 2.x pages to their 3.x twin isn't done: later, with the renames",
            "canonical yes pls later",
            [["canonical", "3.x"], ["canonical", "renames"], ["canonical", "not done"]],
        ),
        (
            "23 URLs renamed in 2023 lack a redirect",
            "the 23 renames wait",
            [["23 renames"], ["23", "renamed in 2023"], ["23 missing"]],
        ),
        (
            "Two links dead in the old site as well",
            "I leave them for you",
            [
                ["two links dead"],
                ["2 dead links"],
                ["two dead links"],
                ["backup-old"],
                ["rust-async"],
                ["2 broken links"],
            ],
        ),
        (
            "The SVG logo isn't committed",
            "Not committed yet",
            [
                ["logo", "uncommitted"],
                ["logo", "isn't committed"],
                ["svg", "uncommitted"],
                ["logo", "svg", "not committed"],
                ["svg", "not committed"],
            ],
        ),
        ("PR 77 is a draft", "Draft PR 77", [["draft pr 77"], ["pr 77"], ["pull/77"]]),
    ],
    "next": (
        "Jonas's answer about the 23 renames, then their redirects (from the old client-redirects entries)",
        "the 23 renames wait",
        [["23", "jonas"], ["renames wait"], ["renamed", "client-redirects"], ["renames", "final"]],
    ),
    "needed": [
        (
            "507 of 530 URLs are fine, 23 missing",
            "507 ok, 23 missing",
            [["507 of 530"], ["507 ok"], ["530", "23 missing"]],
            {"weight": 3},
        ),
        (
            "The 23 can be made of the old plugin-client-redirects entries",
            "plugin-client-redirects",
            [["client-redirects"], ["23", "old docusaurus config"]],
            {"weight": 2},
        ),
        (
            "Pushed on branch starlight, draft PR 77",
            "pull/77",
            [["draft pr 77"], ["pull/77"], ["pr 77"]],
            {"weight": 2},
        ),
        (
            "The logo change is uncommitted",
            "Not committed yet",
            [
                ["logo", "uncommitted"],
                ["logo", "isn't committed"],
                ["svg", "uncommitted"],
                ["logo", "svg", "not committed"],
                ["svg", "not committed"],
            ],
            {"weight": 2},
        ),
    ],
    "checks": [("node scripts/check-urls.mjs urls.txt site/dist", "507 ok, 23 missing", "fail")],
    "traps": [
        (
            "Redirects not begun, links not checked, 1.x missing (old status table)",
            None,
            [["redirects | not begun"], ["links | not checked"], ["frozen pages missing"], ["playground open"]],
        ),
        ("Items of the old plan are open", None, [["scaffold + config"], ["codemod mdx"]]),
        ("96 links are broken (mended)", None, [["detected 96 broken links"], ["96 broken links of 4,410"]]),
        ("128 URLs are missing (most mended)", None, [["128 of 530 are missing"], ["402 ok, 128 missing"]]),
        (
            "Versions by starlight-versions",
            None,
            [["i'd use the community plugin"], ["versions by starlight-versions"]],
        ),
        ("The logo is the goal", None, [["goal: btw logo"], ["goal: nice"], ["goal\n- nice"], ["request: nice"]]),
        ("1.x isn't frozen yet", None, [["which isn't frozen yet"]]),
        ("CodeTabs is our own component", None, [["codetabs.astro is ported"], ["codetabs.astro is our"]]),
    ],
}
NEXT = {
    "goal": "Move Kestrel's docs from Docusaurus 2 to Astro Starlight with every known URL at 200 or 301.",
    "next": "Commit the SVG logo; when Jonas has answered, add the redirects for the 23 pages renamed in 2023.",
    "state": "Draft PR 77 is pushed; 507 of 530 URLs fine, 23 renames wait for Jonas; 2 links are dead as before; the logo change is uncommitted.",
}
CLAIMS = (
    ("State", "507 of 530 URLs are fine, 23 renamed pages have no redirect yet."),
    ("State", "Draft PR 77 is open on branch starlight."),
    ("State", "The SVG logo is not committed."),
    ("Decisions", "User: 1.x is frozen static HTML, out of git, fetched at build."),
    ("Dead ends", "starlight-versions was refused by the user."),
    ("State", "All 530 URLs are 200 or 301.", "check", "23 are missing."),
    ("State", "PR 77 was merged.", "push", "It is a draft."),
    ("Decisions", "Jonas confirmed that the 23 renames are final.", "user-said", "He hasn't been heard of."),
    ("State", "The preview is deployed at starlight-preview on Netlify.", "run", "The deploy failed: not authorized."),
    ("State", "The link check finds 96 broken links.", "number", "2 since."),
)
