// Prints what a page shows of requests of some ages.
//
//     node ages.mjs FILE FILE WITHOUT AGES [FOLDER FOR SCREENSHOTS]

import path from "node:path"
import {drag, opened, shown, start} from "./browser.mjs"

const [file, without, folder] = process.argv.slice(2)
const {browser, page, wrong} = await start(file)
const steps = {}
const rows = selector => page.locator(`${selector} tbody tr`).evaluateAll(list =>
    list.map(row => [...row.children].map(cell => cell.textContent)))
const number = text => Number(text.replaceAll(",", ""))
const input = page.getByRole("spinbutton", {name: "Only requests that had run"})

async function step(name) {
    await shown(page)
    const samples = await page.locator("#selection [data-samples]").evaluateAll(list =>
        list.map(side => Number(side.dataset.samples)))
    const groups = (await rows(".overview .groups")).map(([name, , , samples]) => ({name, samples: number(samples)}))
    const ageless = page.locator("#ageless")
    if (folder) {
        await page.screenshot({path: path.join(folder, `ages-${name.replaceAll(" ", "-")}.png`)})
    }
    await page.getByRole("tab", {name: "Functions"}).click()
    await shown(page)
    const functions = (await rows(".functions")).map(cells => {
        const [own, total] = cells[3].split(" / ").map(number)
        return {name: cells[4], place: cells[5], own, total}
    })
    await page.getByRole("tab", {name: "Flame graph"}).click()
    steps[name] = {
        samples, groups, functions, fragment: await page.evaluate(() => location.hash),
        said: await ageless.count() > 0 ? await ageless.textContent() : "",
    }
}

async function fill(text) {
    await input.fill(text)
    await page.keyboard.press("Tab")
}

for (const older of ["", "1", "500", "501", "30000", "2147483646"]) {
    await fill(older)
    await step(older || "all")
}
await fill("500")
await page.locator(".overview .groups").getByRole("button", {name: "/cart", exact: true}).click()
await step("route")
await page.reload()
await opened(page)
await step("reloaded")
await drag(page, 0.2, 0.6)
await step("range")
await page.getByRole("tab", {name: "Traces"}).click()
await shown(page)
steps.trace = {
    id: await page.locator(".one h2 .id").textContent(), said: await page.locator(".one .said").textContent(),
}
await page.getByRole("tab", {name: "Flame graph"}).click()
await page.getByRole("button", {name: "Remove all filters"}).click()
await page.getByRole("button", {name: "Remove range A"}).click()
await step("no filter")
for (let i = 0; i < 4; i++) { // two of these steps are of step itself
    await page.goBack()
}
await step("back")
await page.getByRole("button", {name: "Remove the filter request: 500 ms or more"}).click()
await step("without the age")
await browser.close()

const other = await start(without)
const inputs = await other.page.getByRole("spinbutton", {name: "Only requests"}).count()
await other.browser.close()
console.log(JSON.stringify({steps, inputs, wrong: [...wrong, ...other.wrong]}))
