import { element } from './element';

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
