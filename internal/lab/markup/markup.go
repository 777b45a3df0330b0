// Package markup writes the HTML pages of `gyr bench` and `gyr research`:
//
//   - page.go begins and ends a page, with a policy under which nothing from elsewhere is loaded or
//     run;
//   - writer.go writes text, tables and parts of a page;
//   - svg.go draws in SVG;
//   - base.css holds the looks that the pages share.
//
// Text is escaped unless its type says that it is markup.
//
// Package html/template would escape as well. But with it, or with text/template, the linker keeps
// every method of every type, and `gyr run` would run html/template's initialisation at each start.
// So functions write a page, with formats that are ours. Tests open pages with package headless
// (internal/tools/headless).
package markup
