package markup

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
)

// base is the style that the pages share: colours by the reader's scheme, letters, tables and
// figures.
//
//go:embed base.css
var base string

// Begin begins a page that needs nothing from elsewhere. It writes everything up to and including
// the heading. Its policy (Content-Security-Policy) allows only the page's own style and script,
// which it names by their hashes. Without a script nothing runs.
func (w *Writer) Begin(title, style, script string) {
	css, run := base+style, Markup("'none'")
	if script != "" {
		run = hash(script)
	}
	w.Add(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src %s; script-src %s; base-uri 'none'; form-action 'none'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>%s</title>
<style>%s</style>
</head>
<body>
<header>
<h1>%s</h1>
`, hash(css), run, title, Markup(css), title)
}

// End ends the page, with the script that Begin was given.
func (w *Writer) End(script string) {
	if script != "" {
		w.Add("<script>%s</script>\n", Markup(script))
	}
	w.Add("</body>\n</html>\n")
}

// hash names a script or a style in a policy.
func hash(text string) Markup {
	sum := sha256.Sum256([]byte(text))
	return Markup("'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'")
}
