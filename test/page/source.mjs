// Prints what a page shows of the source of its functions: the lines, with their samples, by function.
//
//     node source.mjs FILE

import {shown, start} from "./browser.mjs"

const {browser, page, wrong} = await start(process.argv[2])
const lines = {}
await page.getByRole("tab", {name: "Functions"}).click()
await shown(page)
for (const name of ["open", "harm", "secret", "pipe"]) {
    const place = page.locator(".functions tbody tr", {hasText: name}).locator("td.file button")
    if (await place.count() === 0) {
        continue
    }
    await place.click()
    await shown(page)
    lines[name] = await page.locator(".source tbody tr").evaluateAll(list =>
        list.map(row => [...row.cells].map(cell => cell.textContent)))
    await place.click()
}
await page.getByRole("tab", {name: "Losses"}).click()
await shown(page)
const said = await page.locator(".about").textContent()
const hostile = await page.evaluate(() => window.hostile === 1 || document.querySelectorAll("main img").length > 0)
console.log(JSON.stringify({lines, said, hostile, wrong}))
await browser.close()
