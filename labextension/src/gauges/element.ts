/** Make an element, where it belongs. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className: string,
  parent?: Element
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  node.className = className;
  parent?.append(node);
  return node;
}

/** Make an SVG element, where it belongs. */
export function drawing<K extends keyof SVGElementTagNameMap>(
  tag: K,
  className: string,
  parent?: Element
): SVGElementTagNameMap[K] {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  node.setAttribute('class', className);
  parent?.append(node);
  return node;
}

/** Write only what has changed: each write costs a layout. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

export function setAttribute(node: Element, name: string, value: string | null): void {
  if (value === null) {
    node.removeAttribute(name);
  } else if (node.getAttribute(name) !== value) {
    node.setAttribute(name, value);
  }
}
