/** A page in the manner of a documentation generator, written for this: a main part, definitions, links to itself. */
const entry = (name: string, words: string) =>
	`<dl class="py method"><dt class="sig" id="${name}"><span class="sig-name">${name}</span><a class="headerlink" href="#${name}" title="Link">¶</a></dt><dd><p>${words} See <a class="reference internal" href="#xml.loft.Node"><code>Node</code></a>.</p></dd></dl>`;

export const API_PAGE = `<!DOCTYPE html><html lang="en"><head><title>xml.loft — trees</title></head><body>
<div class="related" role="navigation"><ul><li><a href="index.html">index</a></li></ul></div>
<div class="document"><div class="body" role="main"><section id="top"><h1>xml.loft — trees<a class="headerlink" href="#top">¶</a></h1>
<dl class="py class"><dt class="sig" id="xml.loft.Node"><em>class</em> xml.loft.Node</dt><dd><p>All parts of a document.</p></dd></dl>
${entry("Node.childNodes", "The children of this node, in their order.")}
${entry("Node.appendChild(newChild)", "Adds a child at the end, and returns it.")}
${Array.from({ length: 60 }, (_, place) => entry(`Node.method${place}()`, "Does one thing, and says what it did.")).join("\n")}
${entry("Node.normalize()", "Joins texts that stand side by side.")}
<p>This is the last sentence of the page.</p></section></div></div>
<div class="sphinxsidebar" role="navigation"><h3>Contents</h3></div><div class="footer">Made by a program</div></body></html>`;

export const INDEX_PAGE = `<!DOCTYPE html><html><head><title>Index</title></head><body><div class="body" role="main"><h1 id="index">Index</h1>
<table class="indextable genindextable"><tr><td><ul>${Array.from({ length: 100 }, (_, place) => `<li><a href="api.html#${place}">symbol_${place}()</a></li>`).join("")}</ul></td>
<td><ul>${Array.from({ length: 100 }, (_, place) => `<li><a href="api.html#${place}">symbol_${place + 100}()</a></li>`).join("")}</ul></td></tr></table></div></body></html>`;
