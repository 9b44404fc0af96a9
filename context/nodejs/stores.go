package nodejs

import "github.com/hotspan/hotspan/v8/heap"

// maxHops bounds the objects on the way from a resource to its stores, itself included.
const maxHops = 3

// StoresOf reads the stores of a resource: a tagged word for each AsyncLocalStorage. They may belong to its public
// resource, or, from Node.js 24.20 on, to an object that is its context (PublicSymbol, ContextSymbol). The error says
// why an object on the way cannot be read. At most three objects are read.
func StoresOf(r *heap.Reader, resource heap.Word) ([]heap.Word, error) {
	for range maxHops {
		properties, err := symbolProperties(r, resource)
		if err != nil {
			return nil, err
		}
		switch public, holder := properties[PublicSymbol], properties[ContextSymbol]; {
		case len(public) > 0 && isJSObject(r, public[0]):
			resource = public[0]
		case len(holder) > 0 && isJSObject(r, holder[0]):
			resource = holder[0]
		default:
			return properties[StoreSymbol], nil
		}
	}
	return nil, nil
}

// symbolProperties are the values of the properties whose keys are symbols of a known kind.
func symbolProperties(r *heap.Reader, object heap.Word) (map[SymbolKind][]heap.Word, error) {
	object, hiddenClass, err := r.Forwarded(object)
	if err != nil {
		return nil, err
	}
	shape, err := r.Shape(hiddenClass)
	if err != nil {
		return nil, err
	}
	out := map[SymbolKind][]heap.Word{}
	for _, p := range shape.Properties {
		if kind := propertyKind(r, p); kind != OtherSymbol {
			if value, err := r.Property(object, p.Slot); err == nil {
				out[kind] = append(out[kind], value)
			}
		}
	}
	if !shape.Dictionary {
		return out, nil
	}
	entries, err := r.Dictionary(object)
	for _, e := range entries {
		if e.Symbol {
			kind := symbolKind(r.Layout(), e.Name)
			out[kind] = append(out[kind], e.Value)
		}
	}
	return out, err
}
