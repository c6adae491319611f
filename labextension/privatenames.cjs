// Run on each module of a production build. Private names, which begin with an underscore, become single letters, and
// each class begins again with the same ones: the minifier gives each name of the bundle another. Fields without a
// value are left out: what reads them before they are set gets undefined all the same.
const ts = require('typescript');

const LETTERS = [...'etsnirlocudhpmgwvbykxCNSMDLAETPORIBjWFUzGHqVKJYQXZ'];
const PRIVATE = /^_[a-z][a-zA-Z]/;

module.exports = function (source) {
  if (this.mode === 'development') {
    return source;
  }
  const file = ts.createSourceFile('module.js', source, ts.ScriptTarget.Latest, true);
  const edits = [];
  const others = new Set();
  const visit = (node, classes) => {
    if (ts.isClassLike(node)) {
      const [base] = node.heritageClauses ?? [];
      const isOurs = base !== undefined && isImportedFrom(base.types[0].expression.text);
      const names = node.members.flatMap(({ name }) => (isPrivate(name) ? [name.text] : []));
      // A class of ours that extends another of ours leaves its names to the minifier.
      classes = [...classes, new Map(isOurs ? [] : names.map(name => [name, []]))];
      node.members.forEach(member => visit(member, classes));
      edits.push(...lettersOf(classes.pop()));
      return;
    }
    const isField = ts.isPropertyDeclaration(node) && node.initializer === undefined;
    if (isField && classes.at(-1).has(node.name.text)) {
      edits.push([node.getStart(), node.end, '']);
      return;
    }
    if (ts.isIdentifier(node) && isProperty(node)) {
      const places = classes
        .map(known => known.get(node.text))
        .filter(Boolean)
        .pop();
      places?.push(node);
      others.add(node.text);
    }
    ts.forEachChild(node, child => visit(child, classes));
  };
  const isImportedFrom = name =>
    file.statements.some(
      one =>
        ts.isImportDeclaration(one) &&
        one.moduleSpecifier.text.startsWith('.') &&
        one.importClause?.namedBindings?.elements?.some(element => element.name.text === name)
    );
  const lettersOf = known => {
    const used = [...known].sort(([, one], [, other]) => other.length - one.length);
    const free = LETTERS.filter(letter => !others.has(letter));
    return used.flatMap(([name, places], i) =>
      places.map(place => [place.getStart(), place.end, free[i] ?? name])
    );
  };
  visit(file, []);
  edits.sort(([one], [other]) => other - one);
  return edits.reduce((text, [from, to, by]) => text.slice(0, from) + by + text.slice(to), source);
};

function isPrivate(name) {
  return name !== undefined && ts.isIdentifier(name) && PRIVATE.test(name.text);
}

/** Whether it names a property: of an object, of a class, or of what is taken apart. */
function isProperty(node) {
  const { parent } = node;
  return ts.isPropertyAccessExpression(parent) || ts.isClassElement(parent)
    ? parent.name === node
    : ts.isBindingElement(parent) && parent.propertyName === node;
}
