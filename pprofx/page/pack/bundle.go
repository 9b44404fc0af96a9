package main

import (
	"fmt"
	"regexp"
	"strings"
)

var (
	importLine = regexp.MustCompile(`(?m)^import (\{[^}]*\}) from "\./([\w]+\.js)"\n`)
	exportWord = regexp.MustCompile(`(?m)^export ((?:async )?(?:function|const|class) (\w+))`)
)

// bundle makes one script of a module and those that it imports. Each becomes a function that returns what the module
// exports, so that names of two modules do not meet. It knows no more of JavaScript than the modules of the folder app
// use: imports of names at the beginning, and exports of functions, constants and classes where they are declared.
func bundle(name string, read func(string) string) string {
	var out strings.Builder
	done := map[string]bool{}
	var add func(string)
	add = func(name string) {
		if done[name] {
			return
		}
		done[name] = true
		text := read(name)
		for _, m := range importLine.FindAllStringSubmatch(text, -1) {
			add(m[2])
		}
		text = importLine.ReplaceAllStringFunc(text, func(line string) string {
			m := importLine.FindStringSubmatch(line)
			return fmt.Sprintf("const %s = %s\n", m[1], variable(m[2]))
		})
		var exported []string
		for _, m := range exportWord.FindAllStringSubmatch(text, -1) {
			exported = append(exported, m[2])
		}
		text = exportWord.ReplaceAllString(text, "$1")
		fmt.Fprintf(&out, "const %s = (() => {\n%sreturn {%s}\n})()\n", variable(name), text,
			strings.Join(exported, ", "))
	}
	add(name)
	return out.String()
}

func variable(name string) string { return "module_" + strings.TrimSuffix(name, ".js") }
