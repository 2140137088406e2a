"""Licences and sources of all dependencies, by the rules of deny.toml. For where cargo-deny is not installed."""
import json, re, subprocess, sys, tomllib

rules = tomllib.load(open("deny.toml", "rb"))
allowed = set(rules["licenses"]["allow"])
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def permitted(expression):
    """Whether an SPDX expression can be met by licences that are allowed."""
    text = expression.replace("/", " OR ")
    for name in sorted(set(re.findall(r"[A-Za-z0-9.+-]+(?: WITH [A-Za-z0-9.+-]+)?", text)), key=len, reverse=True):
        if name not in ("OR", "AND"):
            text = re.sub(rf"(?<![A-Za-z0-9.+-]){re.escape(name)}(?![A-Za-z0-9.+-]| WITH)", str(name in allowed), text)
    text = text.replace("OR", "or").replace("AND", "and")
    if not re.fullmatch(r"(True|False|and|or|[() ])+", text):
        return False
    return bool(eval(text))


assert permitted("MIT OR GPL-3.0") and permitted("(MIT OR Apache-2.0) AND Unicode-3.0") and permitted("Unlicense/MIT")
assert not permitted("GPL-3.0") and not permitted("MIT AND GPL-3.0") and not permitted("")
assert permitted("Apache-2.0 WITH LLVM-exception OR GPL-2.0")

data = json.loads(subprocess.run(
    ["cargo", "metadata", "--locked", "--format-version", "1"], capture_output=True, text=True, check=True
).stdout)
wrong, versions = [], {}
for package in data["packages"]:
    name = f"{package['name']} {package['version']}"
    versions.setdefault(package["name"], []).append(package["version"])
    if not permitted(package["license"] or ""):
        wrong.append(f"{name}: the licence {package['license'] or 'is not stated'} is not among those of deny.toml")
    if package["source"] not in (None, CRATES_IO):
        wrong.append(f"{name}: comes from {package['source']}")
doubles = sorted(f"{name} {' '.join(found)}" for name, found in versions.items() if len(found) > 1)
print(f"{len(data['packages'])} packages; in several versions: {', '.join(doubles) or 'none'}")
if wrong:
    sys.exit("\n".join(wrong))
