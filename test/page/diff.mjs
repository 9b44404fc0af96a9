// Prints what a page of two recordings shows.
//
//     node diff.mjs FILE [FOLDER FOR SCREENSHOTS]

import path from "node:path"
import {opened, shown, start} from "./browser.mjs"

const [file, folder] = process.argv.slice(2)
const {browser, page, wrong} = await start(file)
const shoot = name => folder && page.screenshot({path: path.join(folder, `diff-${name}.png`)})
const rows = selector => page.locator(`${selector} tbody tr`).evaluateAll(list =>
    list.map(row => [...row.children].map(cell => cell.textContent)))
const samples = () => page.locator("#selection [data-samples]").evaluateAll(list =>
    list.map(side => Number(side.dataset.samples)))
const groups = async by => {
    await page.getByRole("combobox", {name: "By"}).selectOption({label: by})
    await shown(page)
    return (await rows(".overview .groups")).map(cells => cells.slice(0, 4))
}

const did = {
    samples: await samples(), selection: await page.locator("#selection").textContent(),
    facts: await page.locator(".facts").textContent(), routes: await groups("route"),
}
await shoot("flame-graph")
await page.locator(".flame canvas").focus()
await page.keyboard.press("ArrowDown")
did.said = await page.locator("#panel-flame .said").textContent()
await page.getByRole("tab", {name: "Functions"}).click()
did.functions = (await rows(".functions")).map(cells => [cells[5], cells[6], cells[0], cells[1]])
await shoot("functions")
did.classes = await groups("what the CPU did")

await page.getByRole("button", {name: "Remove range B"}).click()
await shown(page)
did.withoutOld = await samples()
await page.reload()
await opened(page)
did.reloaded = await samples()
await page.goBack()
await shown(page)
did.back = await samples()
await page.getByRole("tab", {name: "Losses and processes"}).click()
did.recorded = (await rows("#panel-about table.plain")).filter(cells => cells.length === 3 && / UTC|:/.test(cells[0]))
await browser.close()
console.log(JSON.stringify({...did, wrong}))
