// Prints what a page of hotspan annotate shows to a browser without JavaScript: each piece of code, before and after it
// is opened or closed by keyboard.
//
//     node annotate.mjs FILE [FOLDER FOR SCREENSHOTS]

import path from "node:path"
import {browse} from "./browser.mjs"

const [file, folder] = process.argv.slice(2)
const {browser, page, wrong} = await browse(file, {javaScriptEnabled: false})
const width = bar => bar.locator("rect").boundingBox().then(box => box.width)
const pieces = []
for (const piece of await page.locator("details").all()) {
    const summary = piece.locator("summary"), table = piece.locator("table")
    const shown = await table.isVisible()
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    const then = await table.isVisible()
    if (!then) {
        await page.keyboard.press("Enter")
    }
    const bar = summary.locator("svg")
    pieces.push({
        shown, then, summary: (await summary.textContent()).trim(), notes: await piece.locator("p").allTextContents(),
        share: await width(bar) / (await bar.boundingBox()).width,
        fill: await bar.locator("rect").evaluate(rect => getComputedStyle(rect).fill),
        rows: await table.locator("tbody tr").evaluateAll(list =>
            list.map(row => [...row.children].map(cell => cell.textContent).filter(text => text))),
        bars: await Promise.all((await table.locator("svg").all()).map(width)),
        most: await table.locator("tr.most td:last-child").allTextContents(),
    })
}
if (folder) {
    await page.screenshot({path: path.join(folder, "annotate.png"), fullPage: true})
}
const hostile = await page.locator("img, script").count()
console.log(JSON.stringify({said: await page.locator("main > p").textContent(), pieces, hostile, wrong}))
await browser.close()
