// Package markup writes the pages of HTML that `gyr bench` and `gyr research` make: what begins and ends a page, with
// a policy under which nothing from elsewhere is loaded or run (page.go), text, tables and parts of a page (writer.go), and
// drawings in SVG (svg.go). Text is escaped unless its type says that it is markup. What the pages have in
// common of their looks stands in base.css.
//
// Package html/template would escape as well. But with it, or text/template, the linker keeps every method of every type,
// and `gyr run` starts with all that html/template makes first. So a page is written by functions, with formats that are ours.
// Tests open pages with package headless (internal/tools/headless).
package markup
