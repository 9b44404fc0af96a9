package heap

import (
	"fmt"

	"github.com/hotspan/hotspan/v8/layout"
)

// limit is what a number of the layout must be within to be used as an index, a shift or a size. The layout comes from
// the binary that the process chose to run: it is no more to be believed than the process's memory.
type limit struct {
	field     layout.Field
	low, high int
}

var shapeLimits = []limit{
	{layout.MapInstanceSizeInWords, 0, 15}, {layout.MapInObjectStartInWords, 0, 15},
	{layout.BitField3DictionaryMapBit, 0, 31}, {layout.BitField3OwnDescriptorsBit, 0, 22},
	{layout.DescriptorsHeader, 8, 256}, {layout.DescriptorsEntrySize, 16, 256},
	{layout.DetailsLocationBit, 0, 31}, {layout.DetailsFieldIndexShift, 0, 31},
}

var dictionaryLimits = []limit{{layout.NameDictionaryPrefix, 0, 8}, {layout.FixedArrayData, 8, 64}}

var scopeLimits = []limit{
	{layout.ScopeInfoHasSavedClassVarBit, 0, 31}, {layout.ScopeInfoFunctionVarBit, 0, 30},
	{layout.ScopeInfoInferredNameBit, 0, 31},
}

func (r *Reader) within(limits []limit) error {
	for _, x := range limits {
		if n := r.l.At(x.field); n < x.low || n > x.high {
			return fmt.Errorf("%v of this V8 is not known, or cannot be %d", x.field, n)
		}
	}
	return nil
}
