// unpack returns the bytes that are packed in the text of an element: gzip in base64.
export async function unpack(element) {
    if (typeof DecompressionStream === "undefined") {
        throw new Error("this browser is too old: it has no DecompressionStream")
    }
    const packed = fromBase64(element.textContent)
    element.remove() // its text is as large as the profile
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))
    return new Uint8Array(await new Response(stream).arrayBuffer())
}

function fromBase64(text) {
    if (Uint8Array.fromBase64) {
        return Uint8Array.fromBase64(text)
    }
    const binary = atob(text)
    const bytes = new Uint8Array(binary.length)
    for (let i = 0; i < binary.length; i++) {
        bytes[i] = binary.charCodeAt(i)
    }
    return bytes
}
