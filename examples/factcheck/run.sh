#!/bin/sh
# Shows plain answers beside the team's with the scripted model of model.yaml; arguments go to `remit eval`.
cd "$(dirname "$0")/../.." || exit 1
if [ ! -x .venv/bin/remit ]; then
  echo "Remit is not set up in $PWD: run \`make setup\` there first." >&2
  exit 1
fi
kept=${REMIT_HOME:+yes}
REMIT_HOME=${REMIT_HOME:-$(mktemp -d)} || exit 1
said=$(mktemp -d) || exit 1
export REMIT_HOME
.venv/bin/python examples/factcheck/serve.py --port 0 >"$said/pages" &
pages=$!
.venv/bin/remit fake-model examples/factcheck/model.yaml --port 0 >"$said/model" 2>&1 &
model=$!
trap 'kill "$pages" "$model" 2>/dev/null; rm -r "$said"' EXIT
trap 'exit 130' INT TERM

# Each takes a free port and says which.
address() {
  until grep -o 'http://127[^ ]*' "$said/$1" | head -n 1 | grep .; do
    kill -0 "$2" || return 1
    sleep 0.1
  done
}
REMIT_ARXIV_URL=$(address pages "$pages")/api/query || exit 1
OPENAI_BASE_URL=$(address model "$model") || exit 1
export REMIT_ARXIV_URL OPENAI_BASE_URL REMIT_WEB_ALLOW=127.0.0.1 OPENAI_API_KEY=any REMIT_MODEL=scripted

.venv/bin/remit eval examples/factcheck/claims.yaml --compare plain factcheck "$@"
code=$?
if [ -z "$kept" ]; then
  echo "To look at a run: REMIT_HOME=$REMIT_HOME .venv/bin/remit runs list" >&2
fi
exit "$code"
