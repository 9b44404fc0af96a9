// Prints how long a large page takes, in milliseconds.
//
//     node large.mjs FILE

import {drag, measures, opened, shown, start} from "./browser.mjs"

const {browser, page, wrong} = await start(process.argv[2])
const took = {open: await measures(page, "hotspan open")}
for (let i = 0; i < 4; i++) {
    await page.reload()
    await opened(page)
    took.open.push(...await measures(page, "hotspan open"))
}

// last returns how long it took to show what the last step asked for.
async function last(steps) {
    const list = []
    for (const step of steps) {
        await page.evaluate(() => performance.clearMeasures())
        await step()
        await page.waitForFunction(() => performance.getEntriesByName("hotspan selection").length > 0)
        await shown(page)
        await page.waitForTimeout(100)
        list.push(Math.max(...await measures(page, "hotspan selection")))
    }
    return list
}

const ranges = Array.from({length: 15}, (_, i) => () => drag(page, 0.05 + i / 40, 0.5 + i / 40))
took.select = await last(ranges)
await page.getByRole("combobox", {name: "Colour"}).selectOption({label: "route"})
took["select-by-route"] = await last(ranges)
took.filter = await last(Array.from({length: 6}, (_, i) => () =>
    page.locator(".overview .groups tbody button").nth(i).click()))
await page.locator(".chip").click()
took.reverse = await last([() => page.getByRole("button", {name: "Reverse"}).click()])
took["select-reversed"] = await last(ranges)
await page.getByRole("tab", {name: "Functions"}).click()
took.functions = await last(ranges)
took.compare = await last([() => drag(page, 0.8, 0.9, "Shift")])
await browser.close()
if (wrong.length > 0) {
    throw new Error(wrong.join("\n"))
}
console.log(JSON.stringify(took))
