fib() { if [ "$1" -lt 2 ]; then echo "$1"; else echo $(( $(fib $(( $1 - 1 ))) + $(fib $(( $1 - 2 ))) )); fi; }
fib 13
for i in a b c; do printf '%s-' "$i"; done; echo
x=0; while [ $x -lt 2000 ]; do x=$((x+1)); done; echo $x
while read -r line; do echo "here $line"; done <<EOF
$x
EOF
echo piped | while read -r w; do echo "$w"; done
