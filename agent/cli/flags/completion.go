package flags

import (
	"fmt"
	"io"
	"strings"
)

// Completion prints a script that completes command lines of the program in a shell: bash, zsh or fish.
func (l *Line) Completion(to io.Writer, shell string) error {
	root := l.command.Root()
	switch shell {
	case "bash":
		err := root.GenBashCompletionV2(to, true)
		if err == nil {
			_, err = io.WriteString(to, strings.ReplaceAll(plainBash, "PROGRAM", root.Name()))
		}
		return err
	case "zsh":
		return root.GenZshCompletion(to)
	case "fish":
		return root.GenFishCompletion(to, true)
	}
	return fmt.Errorf("no completion for %s: bash, zsh or fish", shell)
}

// plainBash is for a bash without the package bash-completion, of which Cobra's script takes the words of the line.
const plainBash = `
if ! declare -F _get_comp_words_by_ref >/dev/null; then
    __PROGRAM_init_completion()
    {
        local line=${COMP_LINE:0:COMP_POINT}
        read -ra words <<<"$line"
        [[ $line == *[[:space:]] ]] && words+=("")
        cword=$((${#words[@]} - 1))
        cur=${words[cword]}
        prev=${words[cword - 1]}
    }
fi
`
