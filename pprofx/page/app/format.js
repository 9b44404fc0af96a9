// How numbers, times and names are shown.

const grouped = new Intl.NumberFormat("en")

export function count(n) {
    return grouped.format(n)
}

export function share(part, whole) {
    if (!whole) {
        return "–"
    }
    const percent = 100 * part / whole
    return `${percent.toFixed(percent > 0 && percent < 0.095 ? 2 : 1)} %`
}

// points is a difference of two shares, with its sign.
export function points(difference) {
    const text = (100 * Math.abs(difference)).toFixed(1)
    return text === "0.0" ? "0.0" : (difference > 0 ? "+" : "−") + text
}

// cpu is the CPU time that samples stand for, the period being in nanoseconds.
export function cpu(samples, period) {
    return duration(samples * period / 1000)
}

// duration is a time in microseconds.
export function duration(micros) {
    const magnitude = Math.abs(micros)
    if (magnitude < 1e3) {
        return `${Math.round(micros)} µs`
    }
    if (magnitude < 1e6) {
        return `${(micros / 1e3).toFixed(magnitude < 1e4 ? 1 : 0)} ms`
    }
    if (magnitude < 120e6) {
        return `${(micros / 1e6).toFixed(magnitude < 1e7 ? 2 : 1)} s`
    }
    if (magnitude < 7200e6) {
        return `${(micros / 60e6).toFixed(1)} min`
    }
    return `${(micros / 3600e6).toFixed(1)} h`
}

// clock is the time of day in UTC, of Unix time in microseconds, as exact as a step in microseconds asks; for steps of
// days the date.
export function clock(micros, step) {
    const text = new Date(micros / 1000).toISOString().slice(11)
    if (step >= 86400e6) {
        return date(micros)
    }
    if (step >= 60e6) {
        return text.slice(0, 5)
    }
    return step >= 1e6 ? text.slice(0, 8) : step >= 1e5 ? text.slice(0, 10) : text.slice(0, 12)
}

export function date(micros) {
    return new Date(micros / 1000).toISOString().slice(0, 10)
}

// seconds is a time in microseconds as a number of seconds without needless digits.
export function seconds(micros) {
    return String(Math.round(micros) / 1e6)
}

// clean replaces what could make a name look like another one: control characters, and those that turn the direction
// of text.
export function clean(name) {
    return name.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd")
}

// place is a file by its last two folders, with a line if it is known.
export function place(file, line) {
    const parts = clean(file).split("/").filter(part => part !== "")
    const short = parts.length > 2 && !file.startsWith("node:") ? parts.slice(-2).join("/") : clean(file)
    return line > 0 ? `${short}:${line}` : short
}
