// Prints what hotspan web shows: hotspan's page, and the functions of pprof's table and flame graph.
//
//     node web.mjs URL [FOLDER FOR SCREENSHOTS]

import path from "node:path"
import {start} from "./browser.mjs"

const [url, folder] = process.argv.slice(2)
const {browser, page, wrong} = await start(url)
const shoot = name => folder && page.screenshot({path: path.join(folder, `web-${name}.png`)})

const samples = await page.locator("#selection [data-samples]").getAttribute("data-samples")
await shoot("page")

await page.goto(`${url}pprof/top?si=samples`)
const top = await page.locator("#rows tr").evaluateAll(rows =>
    rows.map(({cells}) => ({total: cells[3].textContent, name: cells[5].textContent})))
await shoot("top")

// flame returns what each box of the flame graph says when the pointer is on it.
async function flame(question) {
    await page.goto(`${url}pprof/flamegraph?si=samples${question}`)
    await page.locator(".boxbg").first().waitFor()
    return page.locator(".boxbg").evaluateAll(boxes => boxes.map(box => {
        box.dispatchEvent(new MouseEvent("mouseenter"))
        return box.title
    }))
}
const boxes = await flame("")
await shoot("flamegraph")
const cart = await flame("&tf=http.route%3D^/cart$")

await page.locator("#view .menu-name").click()
await page.locator("#topbtn").click()
await page.locator("#rows tr").first().waitFor()
const linked = page.url()
await browser.close()
console.log(JSON.stringify({samples: Number(samples), top, boxes, cart, linked, wrong}))
