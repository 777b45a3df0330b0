// Package other has a Handle that is not a pipeline's.
package other

func Handle(text string) string { return text }
