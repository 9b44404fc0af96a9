// Reader reads what pprofx/page/columns.go writes: numbers of 7 bits a byte, the lowest first, and lists of them.
export class Reader {
    constructor(bytes) {
        this.bytes = bytes
        this.at = 0
    }

    number() {
        return this.column(1, Float64Array)[0]
    }

    // column reads n numbers into an array of a type.
    column(n, Type = Int32Array) {
        const list = new Type(n), bytes = this.bytes
        let at = this.at
        for (let i = 0; i < n; i++) {
            let byte = bytes[at++], value = byte & 127
            for (let unit = 128; byte > 127; unit *= 128) {
                byte = bytes[at++]
                value += (byte & 127) * unit
            }
            list[i] = value
        }
        if (at > bytes.length) {
            throw new Error("the data of this page is cut off")
        }
        this.at = at
        return list
    }

    list(Type) {
        return this.column(this.number(), Type)
    }

    take(n) {
        this.at += n
        return this.bytes.subarray(this.at - n, this.at)
    }

    texts() {
        const lengths = this.list()
        return new Texts(lengths, this.take(this.number()))
    }
}

// Texts decodes texts when they are asked for: most ids of a recording never are.
class Texts {
    constructor(lengths, bytes) {
        this.bytes = bytes
        this.starts = new Int32Array(lengths.length + 1)
        lengths.forEach((length, i) => { this.starts[i + 1] = this.starts[i] + length })
        this.known = new Map()
        this.decoder = new TextDecoder()
    }

    get(i) {
        let text = this.known.get(i)
        if (text === undefined) {
            text = this.decoder.decode(this.bytes.subarray(this.starts[i], this.starts[i + 1]))
            this.known.set(i, text)
        }
        return text
    }
}
