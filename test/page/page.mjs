// Prints what a page shows after each of the steps that a person takes.
//
//     node page.mjs FILE [FOLDER FOR SCREENSHOTS]

import path from "node:path"
import {drag, opened, shown, start} from "./browser.mjs"

const [file, folder] = process.argv.slice(2)
const {browser, page, wrong} = await start(file)
const steps = {}

const number = text => Number(text.replaceAll(",", ""))

// rows returns the cells of the rows of a table.
const rows = selector => page.locator(`${selector} tbody tr`).evaluateAll(list =>
    list.map(row => [...row.children].map(cell => cell.textContent)))

async function step(name, more = {}) {
    await shown(page)
    const samples = await page.locator("#selection [data-samples]").evaluateAll(list =>
        list.map(side => Number(side.dataset.samples)))
    const groups = await page.locator(".overview .groups tbody tr").evaluateAll(list => list.map(row => ({
        name: row.cells[0].textContent, samples: parseInt(row.cells[3].textContent.replaceAll(",", ""), 10) || 0,
        classes: row.querySelector(".classes").title,
    })))
    steps[name] = {samples, groups, fragment: await page.evaluate(() => location.hash), ...more}
    if (folder) {
        await page.screenshot({path: path.join(folder, `${name.replaceAll(" ", "-")}.png`)})
    }
}

async function view(title) {
    await page.getByRole("tab", {name: title}).click()
    await shown(page)
}

async function functions() {
    await view("Functions")
    const list = (await rows(".functions")).map(cells => {
        const [own, total] = cells[3].split(" / ").map(number)
        return {name: cells[4], place: cells[5], own, total}
    })
    await view("Flame graph")
    return list
}

const by = title => page.getByRole("combobox", {name: "By"}).selectOption({label: title})
const route = name => page.locator(".overview .groups").getByRole("button", {name, exact: true})
const flame = page.locator(".flame canvas")
const said = () => page.locator("#panel-flame .said").textContent()

await step("whole", {lost: await page.locator("#lost").textContent(), functions: await functions()})
for (const title of ["thread", "what the CPU did", "service", "items", "route"]) {
    await by(title)
    await step(`by ${title}`)
}

await drag(page, 0.2, 0.6)
await step("range", {functions: await functions()})
await route("/cart").click()
await step("route", {functions: await functions()})
await page.keyboard.press("/")
await page.keyboard.type("srv/price.js")
await step("search", {found: await page.locator("#found").textContent()})
for (const tool of ["Lines", "Reverse", "JavaScript only"]) {
    await page.getByRole("button", {name: tool}).click()
    await step(`search ${tool}`, {found: await page.locator("#found").textContent()})
}
const colour = label => page.getByRole("combobox", {name: "Colour"}).selectOption({label})
for (const label of ["tier", "route", "what the CPU did"]) {
    await colour(label)
    await step(`colour ${label}`)
}
await page.reload()
await opened(page)
await step("reloaded")
await page.locator(".chip").click()
await step("no filter")
await page.goBack()
await page.locator(".chip").waitFor()
await step("back")
await page.locator(".chip").click()

await drag(page, 0.7, 0.9, "Shift")
await step("two ranges", {shares: (await rows(".overview .groups")).map(cells => cells.slice(0, 4))})
await page.getByRole("button", {name: "Remove range B"}).click()
await page.getByRole("button", {name: "Remove range A"}).click()
for (const tool of ["Lines", "Reverse", "JavaScript only"]) {
    await page.getByRole("button", {name: tool}).click()
}
await page.locator("#search").fill("")

await page.locator(".times canvas").focus()
await page.keyboard.press("ArrowRight")
await page.keyboard.press("Shift+ArrowRight")
await step("keys")
await page.getByRole("button", {name: "Zoom to A"}).click()
await drag(page, 0.25, 0.75)
await step("in a window")
await page.getByRole("spinbutton", {name: "A to"}).fill("3.5")
await page.keyboard.press("Tab")
await step("by number")
await page.getByRole("button", {name: "Whole time"}).click()
await page.locator(".times canvas").focus()
await page.keyboard.press("Escape")
await step("no range")

await flame.focus()
await page.keyboard.press("ArrowDown")
await step("focus", {said: await said()})
await page.keyboard.press("Enter")
await step("zoom", {said: await said()})
await page.keyboard.press("Escape")
await flame.hover({position: {x: 5, y: 5}})
await step("hover", {said: await said()})
await colour("tier")
await flame.focus()
await page.keyboard.press("ArrowDown")
await page.keyboard.press("ArrowDown")
await step("tier", {said: await said()})

await view("Stalls")
const stalls = await rows(".stalls")
await page.locator(".stalls tbody button").first().click()
await step("stall", {stalls})
await page.locator(".times canvas").focus()
await page.keyboard.press("Escape")

await view("Traces")
await page.locator(".list tbody button").nth(1).click()
await step("trace", {
    id: await page.locator(".one h2 .id").textContent(), summary: await page.locator(".one .summary").textContent(),
    frames: await page.locator(".stack li").count(),
})
await page.getByRole("button", {name: "Flame graph of this trace"}).click()
await step("flame graph of the trace")
await view("Losses and processes")
await step("losses", {text: await page.locator("#panel-about").textContent()})

// The policy of the page has to refuse what a name might have done. The browser says so, only now.
const before = [...wrong]
const harm = await page.evaluate(async () => ({
    done: "hostile" in window, elements: document.querySelectorAll("img, script[src], iframe, object").length,
    connected: await fetch("data:,").then(() => true, () => false),
}))
const refused = wrong.slice(before.length).some(text => text.includes("Content Security Policy"))
await browser.close()
console.log(JSON.stringify({steps, harm, refused, wrong: before}))
