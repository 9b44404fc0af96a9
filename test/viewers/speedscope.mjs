// Prints what speedscope understands of a file, by its own importer, after its schema has been checked for its own
// format. The importer is in the package only as a part of the page, so the page runs here up to where it is shown.
//
//     node speedscope.mjs FILE

import fs from "node:fs"
import path from "node:path"
import vm from "node:vm"
import Ajv from "ajv"

const release = path.join(import.meta.dirname, "node_modules/speedscope/dist/release")

function importer() {
    const page = fs.readdirSync(release).find(name => /^speedscope-.*\.js$/.test(name))
    const text = fs.readFileSync(path.join(release, page), "utf8")
    const name = /async function (\w+)\(\w+,\w+\)\{return\(await \w+\)\.importProfileGroupFromBase64/.exec(text)[1]
    const anything = new Proxy(function () {}, {
        get: (_, key) => key === Symbol.toPrimitive ? () => "" : anything, set: () => true, apply: () => anything,
        construct: () => anything,
    })
    const window = {
        console: {...console, log() {}}, setTimeout, clearTimeout, TextDecoder, TextEncoder, URL, atob, btoa,
        performance,
        document: anything, localStorage: anything, Image: anything, FontFace: anything, matchMedia: anything,
        navigator: {platform: "", userAgent: ""}, location: {hash: "", protocol: "file:", href: "file:///"},
        addEventListener() {},
    }
    window.window = window.self = vm.createContext(window)
    const shown = text.lastIndexOf("console.log(`speedscope v")
    vm.runInContext(`${text.slice(0, shown)};window.importBase64 = ${name}})()`, window)
    return window.importBase64
}

const [file] = process.argv.slice(2)
const bytes = fs.readFileSync(file)
if (file.endsWith(".speedscope.json")) {
    const ajv = new Ajv({strict: false})
    const schema = JSON.parse(fs.readFileSync(path.join(release, "file-format-schema.json"), "utf8"))
    if (!ajv.validate(schema, JSON.parse(bytes))) {
        throw new Error(ajv.errorsText())
    }
}
const group = await importer()(path.basename(file), bytes.toString("base64"))
const profiles = group.profiles.map(profile => {
    const functions = []
    profile.forEachFrame(f => functions.push({
        name: f.name, file: f.file ?? "", line: f.line ?? 0, column: f.col ?? 0, self: f.getSelfWeight(),
        total: f.getTotalWeight(),
    }))
    return {
        name: profile.getName(), unit: profile.getWeightUnit(), functions, total: profile.getTotalWeight(),
        busy: profile.getTotalNonIdleWeight(),
    }
})
console.log(JSON.stringify({name: group.name, profiles}))
