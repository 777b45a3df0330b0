package main

import (
	"fmt"
	"strings"
)

// This file has the scripts of gyr completion. Each has a table of the commands, and a few lines
// that look up in it.

// bashScript returns the script for bash. A flag's value may be a word of its own, or follow an
// equals sign, which is a word of its own for bash.
func bashScript(list []completed) string {
	var names, flags, words, values strings.Builder
	seen := map[string]bool{}
	for _, c := range list {
		names.WriteString(c.name + " ")
		fmt.Fprintf(&flags, "\t%s) flags=\"%s\" ;;\n", c.name, flagWords(c.flags))
		if c.words != nil {
			fmt.Fprintf(&words, "\t%s) words=\"%s\" ;;\n", c.name, strings.Join(c.words, " "))
		}
		for _, f := range c.flags {
			if f.values != nil && !seen[f.name] {
				seen[f.name] = true
				fmt.Fprintf(&values, "\t-%s|--%s) words=\"%s\" ;;\n", f.name, f.name, strings.Join(f.values, " "))
			}
		}
	}
	return `# Completion of gyr for bash: source <(gyr completion bash)
_gyr() {
	local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" flags= words=
	COMPREPLY=()
	if [ "$COMP_CWORD" -le 1 ]; then
		COMPREPLY=($(compgen -W "` + strings.TrimSpace(names.String()) + `" -- "$cur"))
		return
	fi
	if [ "$cur" = "=" ]; then
		cur=
	elif [ "$prev" = "=" ]; then
		prev="${COMP_WORDS[COMP_CWORD-2]}"
	fi
	case "$prev" in
` + values.String() + `	esac
	if [ -n "$words" ]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
		return
	fi
	case "${COMP_WORDS[1]}" in
` + flags.String() + `	esac
	case "${COMP_WORDS[1]}" in
` + words.String() + `	esac
	case "$cur" in
	--*) COMPREPLY=($(compgen -P - -W "$flags" -- "${cur#-}")) ;;
	-*) COMPREPLY=($(compgen -W "$flags" -- "$cur")) ;;
	*) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
	esac
}
complete -o default -F _gyr gyr
`
}

// flagWords returns flags as the user writes them.
func flagWords(list []completedFlag) string {
	var words []string
	for _, f := range list {
		words = append(words, "-"+f.name)
	}
	return strings.Join(words, " ")
}

// zshScript returns the script for zsh.
func zshScript(list []completed) string {
	var names, cases strings.Builder
	for _, c := range list {
		fmt.Fprintf(&names, "\t\t%s\n", zshQuote(zshEscape(c.name)+":"+c.short))
		fmt.Fprintf(&cases, "\t%s)\n\t\t_arguments", c.name)
		for _, f := range c.flags {
			spec := "-" + f.name
			switch {
			case f.hasValue:
				spec += "[" + zshEscape(f.short) + "]:value:" + zshValues(f.values)
			case f.values != nil:
				spec += "-[" + zshEscape(f.short) + "]::value:" + zshValues(f.values)
			default:
				spec += "[" + zshEscape(f.short) + "]"
			}
			fmt.Fprintf(&cases, " \\\n\t\t\t%s", zshQuote(spec))
		}
		fmt.Fprintf(&cases, " \\\n\t\t\t%s\n\t\t;;\n", zshQuote("*:argument:"+zshValues(c.words)))
	}
	return `#compdef gyr
# Completion of gyr for zsh: source <(gyr completion zsh)
_gyr() {
	local -a commands
	commands=(
` + names.String() + `	)
	if (( CURRENT == 2 )); then
		_describe command commands
		return
	fi
	shift words
	(( CURRENT-- ))
	case "$words[1]" in
` + cases.String() + `	esac
}
compdef _gyr gyr
`
}

// zshValues returns the completions for a place: some words, or files.
func zshValues(words []string) string {
	if words == nil {
		return "_files"
	}
	return "(" + strings.Join(words, " ") + ")"
}

// zshEscape escapes characters that have a meaning in descriptions of arguments.
func zshEscape(s string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(s)
}

func zshQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// fishScript returns the script for fish.
func fishScript(list []completed) string {
	var b strings.Builder
	b.WriteString("# Completion of gyr for fish: gyr completion fish | source\n")
	for _, c := range list {
		fmt.Fprintf(&b, "complete -c gyr -n __fish_use_subcommand -f -a %s -d %s\n", c.name, fishQuote(c.short))
		when := fishQuote("__fish_seen_subcommand_from " + c.name)
		for _, f := range c.flags {
			fmt.Fprintf(&b, "complete -c gyr -n %s -o %s -d %s", when, f.name, fishQuote(f.short))
			if f.hasValue {
				b.WriteString(" -r")
			}
			if f.values != nil {
				fmt.Fprintf(&b, " -a %s", fishQuote(strings.Join(f.values, " ")))
			}
			b.WriteByte('\n')
		}
		if c.words != nil {
			fmt.Fprintf(&b, "complete -c gyr -n %s -f -a %s\n", when, fishQuote(strings.Join(c.words, " ")))
		}
	}
	return b.String()
}

func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
