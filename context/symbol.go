package context

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

// symbolKinds are the kinds by the descriptions of the symbols. (node: lib/internal/async_local_storage/async_hooks.js,
// until Node.js 22 lib/async_hooks.js; src/env_properties.h; lib/internal/async_hooks.js)
var symbolKinds = map[string]SymbolKind{
	"kResourceStore":            StoreSymbol,
	"resource_symbol":           PublicSymbol,
	"kAsyncLocalStorageContext": ContextSymbol,
}
