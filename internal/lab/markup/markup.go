// Package markup writes pages of HTML and drawings of SVG in them. What is text is escaped unless it says that it is markup.
//
// Package html/template would escape as well, but with it, or text/template, the linker keeps every method of every type,
// and `gyr run` starts with all that html/template makes first. So a page is written by functions, with formats that are ours
// (writer.go), and drawings by a handful of helpers (svg.go). Tests open pages with package headless (internal/tools/headless).
package markup
