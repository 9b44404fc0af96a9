package viewers

import "github.com/hotspan/hotspan/pprofx"

// The categories.
const (
	otherCategory = iota
	jsCategory
	gcCategory
	compilerCategory
	nativeCategory
	kernelCategory
)

type firefoxCategory struct {
	Name          string   `json:"name"`
	Color         string   `json:"color"`
	Subcategories []string `json:"subcategories"` // the first is for what is in none of the others
}

// firefoxCategories has the tiers by their numbers as subcategories of JavaScript, and other code that V8 makes.
var firefoxCategories = []firefoxCategory{
	otherCategory: {"Other", "grey", []string{"Other"}},
	jsCategory: {"JavaScript", "yellow", []string{
		"Other", pprofx.Ignition.String(), pprofx.Sparkplug.String(), pprofx.Maglev.String(), pprofx.TurboFan.String(),
	}},
	gcCategory:       {"GC", "orange", []string{"Other"}},
	compilerCategory: {"Compiler", "purple", []string{"Other"}},
	nativeCategory:   {"Native", "blue", []string{"Other"}},
	kernelCategory:   {"Kernel", "brown", []string{"Other"}},
}

// categoryOf returns category and subcategory of a place with another one on top of it, or absent: what V8 says of the
// state counts before what the leaf is.
func categoryOf(p *place, top int32) (category, subcategory int) {
	switch {
	case top == collectorPlace:
		return gcCategory, 0
	case top == compilerPlace:
		return compilerCategory, 0
	}
	switch p.code.kind {
	case pprofx.Kernel:
		return kernelCategory, 0
	case pprofx.Native:
		return nativeCategory, 0
	case pprofx.Marker:
		return otherCategory, 0
	}
	return jsCategory, int(p.code.tier)
}
