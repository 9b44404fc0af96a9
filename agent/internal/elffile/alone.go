package elffile

// alone waits until no other goroutine reads the file with a key. Call done then.
func (c *Cache) alone(k key) (done func()) {
	for {
		c.mu.Lock()
		other := c.reading[k]
		if other == nil {
			break
		}
		c.mu.Unlock()
		<-other
	}
	defer c.mu.Unlock()
	own := make(chan struct{})
	c.reading[k] = own
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.reading, k)
		close(own)
	}
}
