// Package lang holds filetests that cover the language specification, a chapter a
// folder. Its test runs them in gyr and compares their goldens with native Go.
package lang
