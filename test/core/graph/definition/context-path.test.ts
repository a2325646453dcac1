import { contextPath, proseWithFolder } from "../../../../src/core/graph/definition/context-path";

/** Files that definitions name (graph reference, section 9.7). */
test.each([
  ["./guide.md", "definition", "guide.md"],
  [".//a/./b.md", "definition", "a/b.md"],
  ["./a/../b.md", "definition", "b.md"],
  [".\\notes\\a.md", "definition", "notes/a.md"],
  ["docs/style.md", "project", "docs/style.md"],
  ["docs/../style.md", "project", "style.md"],
  ["{repository}/README.md", "project", "{repository}/README.md"],
  [".hidden/x", "project", ".hidden/x"],
  ["..x/y", "project", "..x/y"],
  [" docs/a b.md ", "project", "docs/a b.md"],
  ["__proto__", "project", "__proto__"],
])("%j belongs to the %s's folder: %s", (text, root, path) => {
  expect(contextPath(text)).toEqual({ ok: true, value: { root, path } });
});

test.each([
  ["../secret", "leaves its root"],
  ["./../secret", "leaves its root"],
  ["a/../../secret", "leaves its root"],
  ["./a/..\\..\\secret", "leaves its root"],
  ["a/b/../../../a/b/c", "leaves its root"],
  ["/etc/passwd", "is absolute"],
  ["\\\\host\\share", "is absolute"],
  ["C:\\Windows", "is absolute"],
  ["c:relative", "is absolute"],
  ["~/.ssh/id", "is in a home folder"],
  ["~root/x", "is in a home folder"],
  ["", "is not a path"],
  ["  ", "is not a path"],
  ["a\0b", "is not a path"],
  ["./", "names no file"],
  ["a/..", "names no file"],
])("%j is refused: it %s", (text, why) => {
  expect(contextPath(text)).toMatchObject({ ok: false, fail: { reason: "invalid_input", details: { path: text } } });
  expect(contextPath(text)).toMatchObject({ fail: { message: expect.stringContaining(why) } });
});

test.each([
  ["Read ./guide.md.", "Read /w/bug/guide.md."],
  ["see (./a/b.md), `./c.md`; ./d", "see (/w/bug/a/b.md), `/w/bug/c.md`; /w/bug/d"],
  ["./first", "/w/bug/first"],
  ["not ../x, not a/./b, not x./y, not ./../z", "not ../x, not a/./b, not x./y, not ./../z"],
  ["{repository}/x and ./{name}.md", "{repository}/x and /w/bug/{name}.md"],
  ["./ alone", "./ alone"],
])("the text %j is distinguished from a folder as %j", (prose, told) => {
  expect(proseWithFolder(prose, "/w/bug")).toBe(told);
});
