// What the scripts of this folder do with a page in a browser without a network.

import {chromium} from "playwright-core"

const quiet = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update",
    "--disable-background-networking", "--disable-sync",
]

// start opens the page of a profile, and returns it when it shows the profile.
export async function start(from) {
    const did = await browse(from)
    await opened(did.page)
    return did
}

// browse opens a file, or an address, and returns the page, and what went wrong in it so far. That it asks for anything
// that is not below what it is of, is wrong.
export async function browse(from, options) {
    const url = from.startsWith("/") ? `file://${from}` : from
    const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: quiet})
    const page = await browser.newPage({viewport: {width: 1400, height: 1000}, ...options})
    const wrong = []
    page.on("console", message => wrong.push(`console: ${message.text()}`))
    page.on("pageerror", error => wrong.push(`error: ${error.stack}`))
    page.on("dialog", dialog => wrong.push(`dialog: ${dialog.message()}`))
    page.on("request", request => {
        const asked = request.url().split("#")[0]
        if (url.startsWith("file:") ? asked !== url : !asked.startsWith(url)) {
            wrong.push(`request: ${request.url()}`)
        }
    })
    await page.goto(url)
    return {browser, page, wrong}
}

export async function opened(page) {
    await page.waitForFunction(() => performance.getEntriesByName("hotspan open").length > 0)
}

// measures returns times in milliseconds that the page has measured.
export async function measures(page, name) {
    return page.evaluate(name => performance.getEntriesByName(name).map(entry => entry.duration), name)
}

// drag drags over the time, between two shares of its width.
export async function drag(page, from, to, key) {
    const box = await page.locator(".times canvas").boundingBox()
    const y = box.y + 100
    if (key) {
        await page.keyboard.down(key)
    }
    await page.mouse.move(box.x + from * box.width, y)
    await page.mouse.down()
    await page.mouse.move(box.x + (from + to) / 2 * box.width, y)
    await page.mouse.move(box.x + to * box.width, y)
    await page.mouse.up()
    if (key) {
        await page.keyboard.up(key)
    }
}

// shown waits until what was asked for is painted.
export async function shown(page) {
    await page.evaluate(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))
}
