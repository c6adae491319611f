import { MenuSvg, type LabIcon } from '@jupyterlab/ui-components';
import { CommandRegistry } from '@lumino/commands';

/** What can be chosen in a menu of a card. */
export interface IMenuEntry {
  readonly label: string;
  readonly icon?: LabIcon;
  readonly isEnabled?: boolean;
  readonly isToggled?: boolean;
  readonly run: () => void;
}

/** Open a menu below a button, which gets the focus back. */
export function openMenu(button: HTMLElement, entries: readonly IMenuEntry[]): void {
  // Separate commands: their names would be of no use elsewhere.
  const commands = new CommandRegistry();
  const menu = new MenuSvg({ commands });
  entries.forEach((entry, i) => {
    const command = `${i}`;
    commands.addCommand(command, {
      describedBy: { args: null },
      label: entry.label,
      icon: entry.icon,
      isEnabled: () => entry.isEnabled ?? true,
      isToggled: () => entry.isToggled === true,
      isToggleable: entry.isToggled !== undefined,
      execute: entry.run
    });
    menu.addItem({ command });
  });
  menu.aboutToClose.connect(() => {
    button.focus();
    // What was chosen runs after the menu has closed.
    window.setTimeout(() => menu.dispose());
  });
  const { left, bottom } = button.getBoundingClientRect();
  menu.open(left, bottom);
}
