package page

// texts interns texts: each has a number. Number 0 is the empty one.
type texts struct {
	list   []string
	byText map[string]int32
}

func newTexts() *texts { return &texts{list: []string{""}, byText: map[string]int32{"": 0}} }

func (t *texts) number(text string) int32 {
	n, ok := t.byText[text]
	if !ok {
		n = int32(len(t.list))
		t.list = append(t.list, text)
		t.byText[text] = n
	}
	return n
}
