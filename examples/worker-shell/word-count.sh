# Counts the words of a payload. 0: the result is what is printed; any other exit code is a failure.
words=$(tr -d '"' | wc -w)
if [ "$words" -eq 0 ]; then
  echo "there are no words" >&2
  exit 1
fi
echo "$words"
