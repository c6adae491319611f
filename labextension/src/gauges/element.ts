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

/** Something folded: a button that shows and hides the content. */
export interface IDisclosure {
  readonly node: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly content: HTMLElement;
  /** Open or close, without telling anybody. */
  toggle(isOpen: boolean): void;
}

let count = 0;

export function disclosure(
  title: string,
  className: string,
  /** Called when a person opens or closes it. */
  onToggle: (isOpen: boolean) => void
): IDisclosure {
  const node = element('div', `gpc-Disclosure ${className}`);
  const button = element('button', 'gpc-Disclosure-button', node);
  const content = element('div', '', node);
  button.type = 'button';
  button.textContent = title;
  button.setAttribute('aria-expanded', 'false');
  content.id = `gpc-disclosure-${++count}`;
  content.hidden = true;
  button.setAttribute('aria-controls', content.id);
  const toggle = (isOpen: boolean): void => {
    button.setAttribute('aria-expanded', `${isOpen}`);
    content.hidden = !isOpen;
  };
  button.addEventListener('click', () => {
    toggle(content.hidden);
    onToggle(!content.hidden);
  });
  return { node, button, content, toggle };
}
