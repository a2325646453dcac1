/** Texts that would run a script, or load something, if a page took them for anything but text. `RUN` is what such a script would do. */

const RUN = "window.__ran=1";
const QUOTED = `javascript:${RUN}`;

/** Elements that run something by themselves, or when they are loaded, fail to load, or are seen. */
const ELEMENTS = [
  `<script>${RUN}</script>`,
  `<script src="https://elsewhere.example/x.js"></script>`,
  `<script type="module">${RUN}</script>`,
  `<ScRiPt >${RUN}</sCrIpT>`,
  `<script/x>${RUN}</script>`,
  `<<script>${RUN}//<</script>`,
  `<img src=x onerror=${RUN}>`,
  `<img src="x" onerror="${RUN}">`,
  `<img/src='x'/onerror='${RUN}'>`,
  `<image src=x onerror=${RUN}>`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><a xlink:href="${QUOTED}"><text x=20 y=20>x</text></a></svg>`,
  `<svg><use href="data:image/svg+xml,<svg id='x' onload='${RUN}'/>#x"/></svg>`,
  `<math><mtext><img src=x onerror=${RUN}></mtext></math>`,
  `<math href="${QUOTED}">x</math>`,
  `<body onload=${RUN}>`,
  `<iframe src="${QUOTED}"></iframe>`,
  `<iframe srcdoc="<script>parent.__ran=1</script>"></iframe>`,
  `<object data="${QUOTED}"></object>`,
  `<embed src="${QUOTED}">`,
  `<video><source onerror=${RUN}></video>`,
  `<audio src=x onerror=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<select autofocus onfocus=${RUN}><option>x</select>`,
  `<textarea autofocus onfocus=${RUN}>x</textarea>`,
  `<details open ontoggle=${RUN}><summary>x</summary></details>`,
  `<marquee onstart=${RUN}>x</marquee>`,
  `<a href="${QUOTED}">press me</a>`,
  `<a href="java&#115;cript:${RUN}">press me</a>`,
  `<a href="vbscript:x">press me</a>`,
  `<form action="${QUOTED}"><button>press me</button></form>`,
  `<button formaction="${QUOTED}">press me</button>`,
  `<isindex action="${QUOTED}" type=submit value=press>`,
  `<link rel=stylesheet href="https://elsewhere.example/x.css">`,
  `<style>@import url(https://elsewhere.example/x.css);</style>`,
  `<div style="background:url(https://elsewhere.example/x.png)">x</div>`,
  `<meta http-equiv=refresh content="0;url=https://elsewhere.example/">`,
  `<base href="https://elsewhere.example/">`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<portal src="https://elsewhere.example/"></portal>`,
  `<dialog open onclose=${RUN}>x</dialog>`,
];

/** What ends a text, an attribute, a comment or a script in which the text might stand. */
const ENDS = [
  `"`,
  `'`,
  "`",
  `">`,
  `'>`,
  "-->",
  "]]>",
  "</script>",
  "</style>",
  "</textarea>",
  "</title>",
  "</pre></code>",
  "\\u003c/script\\u003e",
  "{{",
  "${",
  "*/",
  "\n\n",
  "\u2028",
];

/** Markdown that renderers make links, images or HTML of. */
const MARKDOWN = [
  `[press me](${QUOTED})`,
  `[press me](JaVaScRiPt:${RUN})`,
  `[press me](java\tscript:${RUN})`,
  `[press me](data:text/html,<script>${RUN}</script>)`,
  `[press me](vbscript:x "title")`,
  `![x](x"onerror="${RUN})`,
  `![x](https://elsewhere.example/pixel.png)`,
  `<${QUOTED}>`,
  `[x]: ${QUOTED}\n[x]`,
  `[press me](<${QUOTED}>)`,
  `\`\`\`html\n<script>${RUN}</script>\n\`\`\``,
  `| a | b |\n|---|---|\n| <img src=x onerror=${RUN}> | [y](${QUOTED}) |`,
  `> <img src=x onerror=${RUN}>`,
  `# <svg onload=${RUN}>`,
  `- [ ] <a href="${QUOTED}">x</a>`,
  `**<b onclick=${RUN}>x</b>**`,
  `&lt;script&gt;${RUN}&lt;/script&gt;`,
  `&#60;img src=x onerror=${RUN}&#62;`,
];

/** Texts that frameworks take for code, names that objects have already, and characters that nobody sees. */
const OTHERS = [
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
  `#{${RUN}}`,
  `<%= ${RUN} %>`,
  `__proto__`,
  `constructor`,
  `{"__proto__":{"dangerouslySetInnerHTML":{"__html":"<img src=x onerror=${RUN}>"}}}`,
  `{"type":"script","props":{"dangerouslySetInnerHTML":{"__html":"${RUN}"}}}`,
  `%3Cscript%3E${RUN}%3C/script%3E`,
  `\u202e<script>${RUN}</script>`,
  `<scr\u0000ipt>${RUN}</scr\u0000ipt>`.replace(/\0/g, "\u200b"),
  `data: x\n\nevent: over\ndata: {}\n\n`,
  `\r\nSet-Cookie: navigator_session=x\r\n\r\n<script>${RUN}</script>`,
];

/** 200 and more different texts. */
export const SCRIPT_CORPUS: readonly string[] = [
  ...ELEMENTS,
  ...MARKDOWN,
  ...OTHERS,
  ...ENDS.flatMap((end) => [0, 6, 10, 24, 29, 31, 40].map((i) => `${end}${ELEMENTS[i]}`)),
];
