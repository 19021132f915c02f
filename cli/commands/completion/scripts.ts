/** Scripts for shells. Each script runs the program to get proposals. */
export const scripts: ReadonlyMap<string, string> = new Map([
  [
    'bash',
    `# bash completion for orchctl
__orchctl() {
  local word="\${COMP_LINE:0:$COMP_POINT}"
  local IFS=$'\\n'
  local -a words
  # As the shell splits words, without the breaks that it makes at = and :
  IFS=' ' read -ra words <<< "$word"
  [[ "$word" == *' ' ]] && words+=('')
  local current="\${words[-1]}"
  IFS=$'\\n'
  COMPREPLY=($("\${words[0]}" __completeNoDesc "\${words[@]:1}" 2>/dev/null | sed '/^:[0-9]*$/d'))
  # What stands before the last = or : is not replaced.
  local kept="\${current%"\${current##*[=:]}"}"
  COMPREPLY=("\${COMPREPLY[@]#"$kept"}")
}
complete -o default -o nosort -F __orchctl orchctl 2>/dev/null || complete -o default -F __orchctl orchctl
`,
  ],
  [
    'zsh',
    `#compdef orchctl
# zsh completion for orchctl
_orchctl() {
  local -a found
  found=("\${(@f)$("\${words[1]}" __completeNoDesc "\${(@)words[2,CURRENT]}" 2>/dev/null | sed '/^:[0-9]*$/d')}")
  found=("\${(@)found:#}")
  if (( \${#found} )); then compadd -- "\${found[@]}"; else _files; fi
}
if [ "\${funcstack[1]}" = "_orchctl" ]; then _orchctl "$@"; else compdef _orchctl orchctl; fi
`,
  ],
  [
    'fish',
    `# fish completion for orchctl
function __orchctl_complete
  set -l words (commandline -opc) (commandline -ct)
  $words[1] __complete $words[2..-1] 2>/dev/null | string match -rv '^:[0-9]+$'
end
complete -c orchctl -f -a '(__orchctl_complete)'
`,
  ],
  [
    'powershell',
    `# PowerShell completion for orchctl
Register-ArgumentCompleter -Native -CommandName orchctl -ScriptBlock {
  param($word, $line, $position)
  $words = @($line.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
  if ($word -eq '') { $words += '' }
  orchctl __completeNoDesc @words 2>$null | Where-Object { $_ -notmatch '^:[0-9]+$' } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }
}
`,
  ],
]);
