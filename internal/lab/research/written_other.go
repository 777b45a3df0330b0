//go:build !unix

package research

const writtenFlags = 0

func keepFiles() {}
