package native

// A Handler decides what happens when code has left: true resumes it. It runs as ordinary Go code
// on the goroutine that called Enter.
type Handler interface{ Handle() bool }
