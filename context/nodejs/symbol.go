package nodejs

import (
	"fmt"
	"slices"

	"github.com/hotspan/hotspan/v8/layout"
)

// SymbolKind says what a resource of async_hooks keeps under a symbol.
type SymbolKind uint8

// The kinds of symbols.
const (
	OtherSymbol SymbolKind = iota
	// StoreSymbol is the key of the store of an AsyncLocalStorage, each of which has a symbol of its own.
	StoreSymbol
	// PublicSymbol is the key of the public resource, which stands for this one. An HTTP parser, which serves one
	// request after the other, has another one for each.
	PublicSymbol
	// ContextSymbol is the key of the object that has the stores, from Node.js 24.20 on.
	ContextSymbol
)

// SymbolNames are the descriptions of the symbols, by kind; empty for other symbols. (node:
// lib/internal/async_local_storage/async_hooks.js, until Node.js 22 lib/async_hooks.js; src/env_properties.h;
// lib/internal/async_hooks.js, lookupPublicResource)
func SymbolNames(l *layout.Layout) [4]string {
	return [...]string{
		StoreSymbol:   "kResourceStore",
		PublicSymbol:  publicSymbol(l.Node),
		ContextSymbol: "kAsyncLocalStorageContext",
	}
}

// symbolKind is the kind of the symbol with a description.
func symbolKind(l *layout.Layout, description string) SymbolKind {
	names := SymbolNames(l)
	return SymbolKind(max(slices.Index(names[:], description), int(OtherSymbol)))
}

// publicSymbol describes the key of the public resource in a release of Node.js. In some releases there is no symbol of
// its own for that: the one that leads from a handle to its owner took its place. In the others a handle's owner has
// nothing to do with its stores, and no object tells which of the two holds.
func publicSymbol(node string) string {
	var major, minor int
	if _, err := fmt.Sscanf(node, "%d.%d.", &major, &minor); err == nil &&
		(major == 16 && minor >= 7 && minor < 14 || major == 17 && minor < 2) {
		return "owner_symbol"
	}
	return "resource_symbol"
}
