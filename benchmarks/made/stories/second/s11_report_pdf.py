"""OpenCode, C#, a Spanish-speaking owner: two PDF libraries tried, a progress file written and gone past, mistakes the user corrects."""

from benchmarks.made.others import OpenCode
from benchmarks.made.record import explore, filler, log

W = ["Report", "Section", "Chart", "Sample", "Parcel", "Result"]


def dotnet(bad=(), n=71, detail=""):
    rows = log("  Labo.{a}s -> /home/nacho/labo/bin/Debug/net8.0/Labo.{a}s.dll", W, 6, n)
    fails = "\n".join(f"  Failed {t} [21 ms]" for t in bad)
    return f"{rows}\n{fails}\n{detail}\n{'Failed!' if bad else 'Passed!'}  - Failed: {len(bad):5d}, Passed: {n - len(bad):5d}, Skipped:     2, Total: {n + 2:5d}, Duration: 4 s"


def session():
    s = OpenCode(
        "cs-report-pdf", "/home/nacho/labo", "pdf-net", "2026-11-16T16:20:00", "agrolab-sur/labo", model="gpt-5.2"
    )
    s.user(
        "hola! app of a soil laboratory, ASP.NET Core 8, makes reports for farmers in PDF. Now is wkhtmltopdf (process, very slow 9 sec per report and it die with many). We want generate PDF direct in C#. "
        "License must be free for company with >1M revenue!! Reports have: logo, table of 30 values, 4 charts, text in spanish and catalan (accents, ŀ), page numbers. Final report must look the same, clients are used. Please first look"
    )
    s.bash(
        "ls src tests && git log --oneline -4 && dotnet --version",
        "Labo.Data\nLabo.Reports\nLabo.Web\nLabo.Tests\n7aa01b3 informe: firma\n0be47d1 update SkiaSharp\n55c9d0e nitrates unit\n90fe3b2 net 8\n8.0.403",
    )
    s.read("src/Labo.Reports/WkRenderer.cs", filler("ts", W, 70, 101))
    s.read(
        "src/Labo.Reports/Templates/informe.cshtml",
        log('<tr><td>{a}</td><td class="num">{n}</td><td>mg/kg</td></tr>', W, 40, 102),
    )
    explore(s, W, 4, "ts", "cs")
    s.say(
        "The template is one Razor page with CSS, the charts are SkiaSharp images. Candidates:\n\n- **QuestPDF**: nice API, but its community licence is for companies below 1 M USD revenue → you'd have to pay\n- **iText 7**: AGPL or commercial\n- **PDFsharp + MigraDoc**: MIT, tables and text, layout is more work\n- **PuppeteerSharp** with Chromium: MIT, keeps the HTML, but is again a process",
        end=True,
    )
    s.user("PDFsharp/MigraDoc then, MIT is good. no chromium, server has 1 GB")
    s.todo(
        ("MigraDoc document: header, table", "in_progress"),
        ("charts", "pending"),
        ("fonts (ŀ, accents)", "pending"),
        ("page numbers", "pending"),
        ("compare old/new by image", "pending"),
        ("switch over with setting", "pending"),
    )
    s.say(
        "A few words on how I'll build it, since you said the clients are used to the look. I don't translate the CSS by hand number by number; I take the old PDF, read out where each text stands (`pdftotext -bbox`), and use those coordinates as the test: header block, table columns, chart boxes, footer. MigraDoc flows text by itself, so columns get fixed widths in centimetres and rows a fixed height; what can grow (the recommendation text, two to twelve lines) gets *keep together* with its heading, as the old one did by `page-break-inside: avoid`.\n\nThe interface `IInformeRenderer` exists already with one method, so the web part doesn't notice. `WkRenderer` stays next to the new one as long as we compare.\n\nWhat I'm not sure of: the signature image of the lab's director is a PNG with transparency; PDFsharp makes a soft mask of it, some printers draw that as a grey box. The old path flattened it."
    )
    s.user("director signature: flatten please, one farmer complained already in other software")
    s.bash(
        "dotnet add src/Labo.Reports package PDFsharp-MigraDoc --version 6.1.1",
        "info : PackageReference for package 'PDFsharp-MigraDoc' version '6.1.1' added",
    )
    s.write(
        "src/Labo.Reports/MigraRenderer.cs",
        "using MigraDoc.DocumentObjectModel;\n\nnamespace Labo.Reports;\n\n/// Renders an Informe as PDF in the process, without HTML.\npublic sealed class MigraRenderer : IInformeRenderer\n{\n"
        + filler("ts", W, 80, 103)
        + "\n}\n",
    )
    s.write("tests/Labo.Tests/MigraRendererTests.cs", "namespace Labo.Tests;\n" + filler("ts", W, 50, 104))
    s.bash(
        "dotnet test",
        dotnet(
            ("MigraRenderer_EmbedsFont",),
            detail="   System.InvalidOperationException : No appropriate font found for family name 'Open Sans'. Implement IFontResolver and assign to 'GlobalFontSettings.FontResolver' to use fonts.",
        ),
        1,
    )
    s.say(
        "PDFsharp 6 on Linux has no access to system fonts; it needs an `IFontResolver`. Open Sans is in wwwroot/fonts, but only as **woff2**, PDFsharp reads ttf/otf."
    )
    s.bash(
        "fc-list | grep -i 'open sans' | head -3; ls src/Labo.Web/wwwroot/fonts",
        "OpenSans-Regular.woff2\nOpenSans-Bold.woff2",
    )
    s.user("I have the ttf in the drive of design, i put in src/Labo.Reports/Fonts now")
    s.write(
        "src/Labo.Reports/FontResolver.cs",
        "using PdfSharp.Fonts;\n\n/// Open Sans from embedded resources.\npublic sealed class FontResolver : IFontResolver { }\n",
    )
    s.edit(
        "src/Labo.Reports/Labo.Reports.csproj",
        "  <ItemGroup>",
        '  <ItemGroup>\n    <EmbeddedResource Include="Fonts/*.ttf" />',
    )
    s.bash("dotnet test", dotnet())
    s.bash(
        "dotnet run --project tools/Compare -- informe-1183",
        "old: 2 pages, 9.2 s\nnew: 3 pages, 0.31 s\nimage difference page 1: 18.4 %",
    )
    s.say(
        "0.31 s instead of 9.2. But three pages instead of two: MigraDoc puts cell padding and line spacing differently (1.2 × font, CSS has 1.0)."
    )
    s.edit(
        "src/Labo.Reports/MigraRenderer.cs",
        "row.Height = Unit.FromPoint(14);",
        "row.Height = Unit.FromPoint(11.5);\n            row.Format.LineSpacingRule = LineSpacingRule.Exactly;",
    )
    s.bash(
        "dotnet run --project tools/Compare -- informe-1183",
        "old: 2 pages, 9.2 s\nnew: 2 pages, 0.30 s\nimage difference page 1: 3.1 %",
    )
    s.bash("git add -A && git commit -q -m 'MigraDoc renderer: table, fonts'", "")
    s.user("wait look at numbers!! 1234.5 must be 1.234,5. old was right")
    explore(s, W, 3, "ts", "cs")
    s.say(
        "You're right. The Razor page ran inside of a request whose culture is set to es-ES by middleware; the new renderer formats in a background service, which has the invariant culture. So the fault isn't in MigraDoc, it was hidden by where the old code ran. It concerns more than the table: dates (`11/16/2026` instead of `16/11/2026`) and the percent sign with its space.\n\nI set the culture explicitly in the renderer, `ca-ES` for Catalan reports and `es-ES` for all others; both use the decimal comma. Setting `CultureInfo.DefaultThreadCurrentCulture` for the whole program would also do, but then CSV exports and the JSON for the laboratory's balance, which want a point, would change as well."
    )
    s.edit(
        "src/Labo.Reports/MigraRenderer.cs",
        "public byte[] Render(Informe informe)",
        'public byte[] Render(Informe informe)\n    {\n        var culture = CultureInfo.GetCultureInfo(informe.Lang == "ca" ? "ca-ES" : "es-ES");',
    )
    s.bash("dotnet test && git commit -q -am 'numbers and dates in the culture of the report'", dotnet(n=72))
    s.user("good. not global culture, never, the balance broke once by that. do we need PDF/A?")
    s.say(
        "I don't know of a rule for soil reports that asks for it. PDF/A would need all fonts embedded (we do), no transparency, and an output intent with a colour profile; PDFsharp can't write the latter by itself. If nobody asked for it, leave it.",
        end=True,
    )
    s.user("nobody ask")
    s.user("muy bien!! charts")
    s.say("The charts are PNG at 96 dpi today. MigraDoc has charts of its own, which would be vectors.")
    s.edit(
        "src/Labo.Reports/MigraRenderer.cs",
        "        // charts",
        "        var chart = section.AddChart(ChartType.Column2D);\n        chart.SeriesCollection.AddSeries().Add(values);",
    )
    s.bash(
        "dotnet run --project tools/Compare -- informe-1183",
        "old: 2 pages\nnew: 2 pages, 0.44 s\nimage difference page 2: 31.0 %",
    )
    s.user(
        "no no, charts look other, the traffic light background (red/yellow/green zones) is lost. farmers look only at that"
    )
    s.say(
        "MigraDoc charts have no background zones. So back to SkiaSharp, but drawn to **SVG/vector**? PDFsharp can't embed SVG. Then PNG at 300 dpi: sharp in print, 90 KB each."
    )
    s.edit(
        "src/Labo.Reports/MigraRenderer.cs",
        "        var chart = section.AddChart(ChartType.Column2D);\n        chart.SeriesCollection.AddSeries().Add(values);",
        '        section.AddImage("base64:" + charts.Png(values, dpi: 300)).Width = "8cm";',
    )
    s.bash(
        "dotnet run --project tools/Compare -- informe-1183",
        "old: 2 pages\nnew: 2 pages, 0.62 s, 512 KB\nimage difference page 1: 3.1 %, page 2: 2.2 %",
    )
    s.bash("dotnet test && git commit -q -am 'charts: SkiaSharp at 300 dpi'", dotnet(n=73))
    s.user("mail of clients have limit 2 MB, is ok?")
    s.say(
        "512 KB now, of which 360 are the four charts; the largest report in the data (38 parcels, eleven pages) would be about 1.9 MB. That's near. PNG with a palette of 64 colours brings it to about 0.8 MB without a visible difference, the charts have 14 colours.\n\nWhere the branch stands, as I'd put it in a mail to Marc: the new renderer makes the same two pages as before, fonts and numbers are right, charts are right. Not there: page numbers, Catalan ela geminada, the switch. wk is still what runs.",
        end=True,
    )
    s.user("palette yes")
    s.edit(
        "src/Labo.Reports/Charts.cs",
        "    return image.Encode(SKEncodedImageFormat.Png, 100);",
        "    return Palette.Encode(image, colours: 64); // mails of clients end at 2 MB",
    )
    s.user(
        'Marc ask by mail: "Will the PDF be searchable? In old one you can copy the values, we use it in excel sometimes. And are the fonts embedded, the printer in Lleida had problems"'
    )
    s.say(
        "Answer for Marc: yes to both. Text is text (I checked with `pdftotext`: values come in rows, in the order of the table, with the decimal comma). Open Sans is embedded as a subset, only the characters that occur, about 40 KB. For copying into Excel the columns come separated by spaces, as before; if he wants tabs, an attached CSV would be better than the PDF, which is easy, since the report has all values at hand. I haven't done that.",
        end=True,
    )
    s.user("csv attach good idea but later, I note it for me")
    explore(s, W, 3, "ts", "cs")
    s.user(
        "perfecto. write a progress.md in root with what is done, I go to eat, then we continue. my colleague Marc maybe read it"
    )
    s.write(
        "progress.md",
        '# PDF without wkhtmltopdf\n\nDone\n- MigraDoc renderer (MIT), 0.6 s instead of 9.2\n- Open Sans as ttf in Labo.Reports/Fonts (IFontResolver)\n- charts as PNG 300 dpi from SkiaSharp (MigraDoc\'s own have no zones)\n\nTo do\n- page numbers "Página X de Y"\n- catalan: ŀ (U+0140) shows as box\n- setting Reports:Renderer = wk | migra, default wk\n- batch of 400 reports at night: try memory\n',
    )
    s.bash("git add progress.md && git commit -q -m 'progress'", "")
    s.user("back. page numbers and catalan now")
    s.edit(
        "src/Labo.Reports/MigraRenderer.cs",
        "        // footer",
        '        footer.AddText(T("Página") + " ");\n        footer.AddPageField();\n        footer.AddText(T(" de "));\n        footer.AddNumPagesField();',
    )
    s.bash(
        "python3 -c \"from fontTools.ttLib import TTFont; print(0x140 in TTFont('src/Labo.Reports/Fonts/OpenSans-Regular.ttf').getBestCmap())\"",
        "False",
    )
    s.say(
        "The ttf from the drive is a **subset** without U+0140, so no code can show `ŀ`. Either the full Open Sans (OFL, 130 KB more) or writing `l·l` with U+00B7, which is what Catalan norms recommend today anyway."
    )
    s.user("l·l with the point is right, the ŀ char is old. data has both so replace before print")
    s.edit(
        "src/Labo.Reports/MigraRenderer.cs",
        "    static string Clean(string text) => text;",
        '    static string Clean(string text) => text.Replace("ŀ", "l·").Replace("Ŀ", "L·");',
    )
    s.bash(
        "dotnet test",
        dotnet(
            ("MigraRenderer_Catalan",),
            75,
            '   Assert.Equal() Failure\n   Expected: "col·lecció"\n   Actual:   "col··lecció"',
        ),
        1,
    )
    s.say("Data has `ŀ·l` in some rows, so the point comes twice. Collapse.")
    s.edit("src/Labo.Reports/MigraRenderer.cs", '.Replace("Ŀ", "L·");', '.Replace("Ŀ", "L·").Replace("··", "·");')
    s.bash("dotnet test && git commit -qam 'page numbers, catalan'", dotnet(n=75))
    s.user("now setting. default migra, I am brave")
    s.edit(
        "src/Labo.Web/Program.cs",
        "builder.Services.AddScoped<IInformeRenderer, WkRenderer>();",
        'if (builder.Configuration["Reports:Renderer"] == "wk")\n    builder.Services.AddScoped<IInformeRenderer, WkRenderer>();\nelse\n    builder.Services.AddScoped<IInformeRenderer, MigraRenderer>();',
    )
    s.bash("dotnet test && git commit -qam 'Reports:Renderer, migra by default'", dotnet(n=75))
    s.bash(
        "dotnet run --project tools/Batch -- --count 400",
        "100: 212 MB\n200: 415 MB\n300: 611 MB\nUnhandled exception. System.OutOfMemoryException at SkiaSharp.SKBitmap..ctor",
        134,
        secs=140,
    )
    s.say(
        "400 reports grow by 2 MB each until they run out: the `SKBitmap` of each chart isn't disposed (it holds native memory that the collector doesn't see). The old code had the same, but in a process that ended."
    )
    s.bash(
        "dotnet-counters collect --duration 00:00:20 --format csv -n Batch 2>&1 | tail -24",
        log("11/16/2026 18:4{i}:02,System.Runtime,{a} {b} (MB),Metric,{n}", W, 22, 66),
    )
    explore(s, W, 2, "ts", "cs")
    s.edit(
        "src/Labo.Reports/Charts.cs",
        "        var bitmap = new SKBitmap(w, h);",
        "        using var bitmap = new SKBitmap(w, h);",
    )
    s.bash(
        "dotnet run --project tools/Batch -- --count 400",
        "100: 148 MB\n200: 151 MB\n300: 150 MB\n400: 152 MB\n400 reports in 251 s",
        secs=251,
    )
    s.bash(
        "dotnet test && git commit -qam 'charts: bitmap is disposed' && git push -q -u origin pdf-net && git status -sb | head -1",
        dotnet(n=75) + "\n## pdf-net...origin/pdf-net",
    )
    s.say(
        "150 MB flat, 400 reports in 251 s. Pushed.\n\nLeft of the list: nothing but removing wkhtmltopdf itself (Dockerfile line 14, `WkRenderer.cs`). `progress.md` is out of date now, shall I bring it up to date or delete it?",
        end=True,
    )
    s.user("dont remove wk until 1 month in production ok. progress.md delete pls, marc has read it")
    s.bash("git rm -q progress.md && git commit -q -m 'progress.md is done with' && git push -q", "")
    s.say("Deleted and pushed. wkhtmltopdf stays for a month; `Reports:Renderer=wk` is the way back.", end=True)
    s.user(
        "one question for tomorrow: digital signature of PDF (PAdES), the ministry want it from january. can pdfsharp?"
    )
    s.say(
        "PDFsharp 6.2 has signatures (`DigitalSignatureOptions`, a signer with BouncyCastle), as far as I know without timestamps of its own; PAdES B-T, which ministries mostly ask for, needs one. We're on 6.1.1. I haven't tried any of it; tomorrow I'd begin with an upgrade to 6.2 and look which level the ministry wants.",
        end=True,
    )
    return s


KEY = {
    "end_state": "MigraDoc renderer is the default, all pushed on pdf-net, no PR. wkhtmltopdf stays for one month. progress.md deleted. Tomorrow: PDF signature (PAdES), nothing tried yet.",
    "goal": (
        "Reports as PDF made in C# instead of by wkhtmltopdf",
        "We want generate PDF direct in C#",
        [["pdf", "wkhtmltopdf"], ["generate pdf", "c#"], ["pdf direct"]],
    ),
    "decisions": [
        (
            "The director's signature image is flattened (printers draw a grey box)",
            "director signature: flatten",
            [["signature", "flatten"], ["flatten", "grey box"], ["director signature"]],
            {"by": "user"},
        ),
        (
            "Numbers and dates in the report's culture (es-ES, ca-ES), set in the renderer",
            "I set the culture explicitly",
            [["culture", "es-es"], ["culture", "renderer"], ["culture of the report"]],
        ),
        (
            "Charts with a palette of 64 colours, since mails end at 2 MB",
            "palette yes",
            [["palette", "64"], ["palette", "2 mb"]],
        ),
        (
            "PDFsharp + MigraDoc, because it is MIT",
            "PDFsharp/MigraDoc then",
            [["migradoc", "mit"], ["pdfsharp", "mit"], ["pdfsharp/migradoc then"]],
        ),
        (
            "Charts as PNG of SkiaSharp at 300 dpi (zones)",
            "Then PNG at 300 dpi",
            [["300 dpi"], ["skiasharp", "300"], ["charts", "zones"]],
        ),
        (
            "Catalan: ŀ is replaced by l·",
            "l·l with the point is right",
            [["ŀ", "replaced"], ["l·l"], ["catalan", "point"], ["ŀ", "replace before"]],
        ),
        (
            "The new renderer is the default; Reports:Renderer=wk is the way back",
            "default migra, I am brave",
            [["reports:renderer", "migra"], ["reports:renderer", "way back"], ["default migra"], ["migra by default"]],
            {"by": "user"},
        ),
        (
            "Open Sans as ttf through an IFontResolver",
            "it needs an `IFontResolver`",
            [["ifontresolver", "pdfsharp"], ["open sans", "ttf"], ["open sans", "embedded"]],
        ),
        (
            "wkhtmltopdf is removed only after a month in production",
            "dont remove wk until 1 month",
            [["1 month", "wk"], ["wkhtmltopdf stays"], ["month in production"]],
            {"by": "user"},
        ),
    ],
    "failed": [
        (
            "MigraDoc's own charts: no background zones",
            "the traffic light background",
            [["traffic light"], ["migradoc charts", "zones"], ["no background zones"]],
        ),
        (
            "QuestPDF: licence not free above 1 M",
            "community licence is for companies",
            [["questpdf", "pay"], ["questpdf", "licence"], ["community licence"]],
        ),
        (
            "Memory grew by 2 MB a report: SKBitmap wasn't disposed",
            "isn't disposed",
            [["skbitmap", "disposed"], ["bitmap is disposed"], ["2 mb each"], ["bitmap", "native memory"]],
        ),
        ("The ttf is a subset without U+0140", "is a **subset** without", [["subset", "u+0140"], ["subset without"]]),
    ],
    "constraints": [
        (
            "Never a global culture: the laboratory's balance broke by it",
            "not global culture, never",
            [["global culture"], ["culture", "balance"]],
        ),
        (
            "Licence free for a company above 1 M revenue",
            "License must be free for company",
            [
                ["licence", "free", "revenue"],
                ["license", "free", "revenue"],
                ["license must be free"],
                ["1m revenue"],
                ["license", "free for company"],
            ],
        ),
        (
            "Same look as before",
            "Final report must look the same",
            [["same look"], ["look", "unchanged"], ["look the same"], ["clients are used"]],
        ),
        ("No Chromium, the server has 1 GB", "no chromium, server has 1 GB", [["no chromium"], ["server has 1 gb"]]),
    ],
    "open": [
        (
            "Attach a CSV of the values: later",
            "csv attach good idea",
            [["csv attach"], ["attach", "csv", "later"], ["attached csv"]],
        ),
        (
            "Signature of the PDFs (PAdES), wanted by the ministry from January",
            "digital signature of PDF",
            [["pades", "ministry"], ["digital signature"], ["ministry", "january"]],
        ),
        (
            "Remove wkhtmltopdf (Dockerfile line 14, WkRenderer.cs) after a month",
            "Dockerfile line 14",
            [["dockerfile line 14"], ["removing", "wkrenderer"], ["removing wkhtmltopdf"]],
        ),
    ],
    "next": (
        "Tomorrow: upgrade PDFsharp to 6.2 and see which PAdES level the ministry wants",
        "tomorrow I'd begin with",
        [["pdfsharp", "6.2"], ["upgrade", "6.2"], ["pades", "level"], ["signature", "tomorrow"]],
    ),
    "needed": [
        (
            "All is committed and pushed on pdf-net",
            "## pdf-net...origin/pdf-net",
            [["pdf-net", "pushed"], ["pushed", "progress.md"], ["deleted and pushed"]],
            {"weight": 2},
        ),
        (
            "wkhtmltopdf must stay for a month",
            "dont remove wk until 1 month",
            [
                ["wkhtmltopdf", "month"],
                ["1 month", "wk"],
                ["wkhtmltopdf stays"],
                ["month in production"],
                ["stays for a month"],
            ],
            {"weight": 3},
        ),
        (
            "Signatures: we are on 6.1.1, nothing was tried, B-T needs a timestamp",
            "I haven't tried any of it",
            [
                ["6.1.1", "signature"],
                ["signing", "not begun"],
                ["signature", "not tried"],
                ["signature", "nothing was tried"],
                ["6.1.1", "pades"],
                ["haven't tried"],
                ["pades b-t"],
                ["timestamp", "pades"],
            ],
            {"weight": 3},
        ),
        ("400 reports in 251 s at 150 MB", "400 reports in 251 s", [["251 s"], ["150 mb"]], {"weight": 1}),
        (
            "75 tests pass",
            "last:Passed:    75",
            [["75 tests"], ["75 pass"], ["passed: 75"], ["migra", "75"]],
            {"weight": 1},
        ),
    ],
    "checks": [("dotnet test", "last:Passed:    75", "pass")],
    "traps": [
        (
            "Page numbers, Catalan, switch not there; wk is what runs (old mail)",
            None,
            [["wk is still what runs"], ["not there: page numbers"]],
        ),
        ("Items of the old to-do list are open", None, [["compare old/new by image"], ["switch over with setting"]]),
        (
            "Page numbers and Catalan are to do",
            None,
            [["to do - page numbers"], ['page numbers "página x de y"'], ["shows as box"]],
        ),
        ("The default is wk", None, [["wk | migra, default wk"], ["default is wk"], ["wk by default"]]),
        ("Charts by MigraDoc (vectors)", None, [["migradoc has charts of its own"]]),
        (
            "Memory runs out (mended)",
            None,
            [["unhandled exception. system.outofmemory"], ["next: memory of the batch"]],
        ),
        (
            "Question about progress.md is open",
            None,
            [["shall i bring it up to date"], ["progress.md is out of date now"]],
        ),
        ("Signing works / is built", None, [["signatures are built"], ["pades works"], ["signed pdfs"]]),
        ("wkhtmltopdf was removed", None, [["wkhtmltopdf was removed"], ["wkhtmltopdf is gone"], ["next: remove wk"]]),
    ],
}
NEXT = {
    "goal": "Soil reports as PDF made in the process (PDFsharp/MigraDoc) instead of by wkhtmltopdf.",
    "next": "Tomorrow: find which PAdES level the ministry wants, upgrade PDFsharp 6.1.1 to 6.2 and try signing.",
    "state": "MigraDoc renderer is the default and pushed on pdf-net (75 tests pass, 400 reports in 251 s); wkhtmltopdf stays for a month; signing not begun.",
}
CLAIMS = (
    ("State", "The MigraDoc renderer is the default; `Reports:Renderer=wk` is the way back."),
    ("State", "Branch pdf-net is pushed; 75 tests pass."),
    ("Decisions", "User: don't remove wkhtmltopdf until one month in production."),
    ("Dead ends", "MigraDoc's own charts have no background zones."),
    ("State", "400 reports in 251 s with about 150 MB."),
    ("State", "progress.md was brought up to date.", "file", "It was deleted."),
    ("State", "PDFsharp was upgraded to 6.2.", "file", "6.1.1; an idea for tomorrow."),
    ("Decisions", "QuestPDF under its community licence.", "file", "Turned down for its licence."),
    ("Decisions", "The full Open Sans font with U+0140 is embedded.", "file", "The character is replaced."),
    ("State", "`WkRenderer.cs` was deleted.", "file", "It stays."),
)
