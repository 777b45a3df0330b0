package research

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/research-config.md and schema.json from config.go")

// A configField is a key of research.json.
type configField struct {
	key, kind, doc string // kind: as in Go
	choices        []string
}

// configTypes reads the types of config.go in their order, with the comments of their fields and
// the values that check allows them.
func configTypes(t *testing.T) (names []string, docs map[string]string, fields map[string][]configField) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	docs, fields = map[string]string{}, map[string][]configField{}
	words := map[string]string{} // constants
	text := func(groups ...*ast.CommentGroup) string {
		var s []string
		for _, g := range groups {
			s = append(s, strings.Fields(g.Text())...)
		}
		return strings.Join(s, " ")
	}
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range g.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && g.Tok == token.CONST {
				for i, name := range v.Names {
					if i < len(v.Values) {
						if l, ok := v.Values[i].(*ast.BasicLit); ok && l.Kind == token.STRING {
							words[name.Name], _ = strconv.Unquote(l.Value)
						}
					}
				}
			}
			s, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			list, ok := s.Type.(*ast.StructType)
			if !ok {
				continue
			}
			for _, x := range list.Fields.List {
				if x.Tag == nil {
					continue
				}
				tag, _ := strconv.Unquote(x.Tag.Value)
				key := reflect.StructTag(tag).Get("json")
				if key == "" || key == "-" {
					continue
				}
				var kind bytes.Buffer
				if err := printer.Fprint(&kind, fset, x.Type); err != nil {
					t.Fatal(err)
				}
				fields[s.Name.Name] = append(fields[s.Name.Name], configField{key: key, kind: kind.String(), doc: text(x.Doc, x.Comment)})
			}
			if len(fields[s.Name.Name]) > 0 {
				names = append(names, s.Name.Name)
				docs[s.Name.Name] = text(g.Doc)
			}
		}
	}
	owner := map[string]string{"m": "Metric", "k": "Check", "p": "Proposer", "param": "Param"}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if fn, ok := call.Fun.(*ast.Ident); !ok || fn.Name != "oneOf" || len(call.Args) < 3 {
			return true
		}
		value, ok := call.Args[1].(*ast.SelectorExpr)
		if !ok {
			return true
		}
		of := ""
		switch x := value.X.(type) {
		case *ast.Ident:
			of = owner[x.Name]
		case *ast.SelectorExpr:
			of = x.Sel.Name
		}
		for i := range fields[of] {
			x := &fields[of][i]
			if !strings.EqualFold(x.key, value.Sel.Name) || x.key == "unit" {
				continue
			}
			for _, a := range call.Args[2:] {
				word := ""
				switch a := a.(type) {
				case *ast.BasicLit:
					word, _ = strconv.Unquote(a.Value)
				case *ast.Ident:
					word = words[a.Name]
				}
				if word != "" {
					x.choices = append(x.choices, word)
				}
			}
		}
		return true
	})
	return names, docs, fields
}

// jsonKind is the name of a config's Go type in terms of research.json.
func jsonKind(kind string) string {
	kind = strings.TrimPrefix(kind, "*")
	switch {
	case strings.HasPrefix(kind, "[]"):
		return "list of " + jsonKind(kind[2:])
	case strings.HasPrefix(kind, "map[string]"):
		return "object of " + jsonKind(strings.TrimPrefix(kind, "map[string]"))
	}
	if name, ok := map[string]string{"int": "integer", "int64": "integer", "uint64": "integer", "float64": "number", "bool": "true, false",
		"string": "text", "Amount": "amount", "Duration": "duration", "Money": "cost"}[kind]; ok {
		return name
	}
	return "[" + kind + "](#" + strings.ToLower(kind) + ")"
}

// jsonSchema is the schema of a config's Go type.
func jsonSchema(kind string) map[string]any {
	kind = strings.TrimPrefix(kind, "*")
	switch {
	case strings.HasPrefix(kind, "[]"):
		return map[string]any{"type": "array", "items": jsonSchema(kind[2:])}
	case strings.HasPrefix(kind, "map[string]"):
		return map[string]any{"type": "object", "additionalProperties": jsonSchema(strings.TrimPrefix(kind, "map[string]"))}
	}
	if name, ok := map[string]string{"int": "integer", "int64": "integer", "uint64": "integer", "float64": "number", "bool": "boolean", "string": "string"}[kind]; ok {
		return map[string]any{"type": name}
	}
	switch kind {
	case "Amount":
		return map[string]any{"type": []string{"number", "string"}, "pattern": `^([0-9.eE+-]+ *%?|auto)$`}
	case "Money":
		return map[string]any{"type": []string{"number", "string"}, "pattern": `^[0-9.]+ *(USD)?$`}
	case "Duration":
		return map[string]any{"type": "string", "pattern": `^([0-9.]+(ns|us|µs|ms|s|m|h))+$`}
	}
	return map[string]any{"$ref": "#/$defs/" + kind}
}

// TestConfigDocs: docs/research-config.md and schema.json match the types in config.go, where each
// field has a comment.
func TestConfigDocs(t *testing.T) {
	names, docs, fields := configTypes(t)
	var b strings.Builder
	b.WriteString("# research.json\n\nWritten by `go generate ./internal/lab/research` from the types in `config.go`. `gyr research schema` prints a JSON schema of the same for editors. " +
		"An amount is a number or a percentage (`1`, `\"2%\"`), a duration a text as `\"90s\"`, a cost one as `\"5 USD\"`.\n")
	defs := map[string]any{}
	for _, name := range names {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| key | | |\n|---|---|---|\n", name, docs[name])
		properties := map[string]any{}
		for _, x := range fields[name] {
			if x.doc == "" {
				t.Errorf("config.go: %s.%s has no comment", name, x.key)
			}
			doc := x.doc
			property := jsonSchema(x.kind)
			if len(x.choices) > 0 {
				doc += "; one of `" + strings.Join(x.choices, "`, `") + "`"
				property["enum"] = x.choices
			}
			property["description"] = x.doc
			properties[x.key] = property
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", x.key, jsonKind(x.kind), strings.ReplaceAll(doc, "|", "\\|"))
		}
		defs[name] = map[string]any{"type": "object", "description": docs[name], "properties": properties, "additionalProperties": false}
	}
	schema := map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "research.json of gyr research", "$ref": "#/$defs/Config", "$defs": defs}
	text, err := json.MarshalIndent(schema, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{"../../../docs/research-config.md": b.String(), "schema.json": string(text) + "\n"} {
		have, err := os.ReadFile(file)
		switch {
		case err == nil && string(have) == want:
		case *update:
			if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
				t.Fatal(err)
			}
		default:
			t.Errorf("%s is not that of config.go: go generate ./internal/lab/research", file)
		}
	}
	// The documented keys are the ones that the config reads.
	for _, x := range fields["Config"] {
		if _, ok := fieldTypes(reflect.TypeFor[Config]())[x.key]; !ok {
			t.Errorf("%s is no key", x.key)
		}
	}
	if i := slices.IndexFunc(fields["Metric"], func(x configField) bool { return x.key == "from" }); !slices.Contains(fields["Metric"][i].choices, "gobench") {
		t.Errorf("%+v", fields["Metric"][i])
	}
}
