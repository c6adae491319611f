import { Clipboard, Dialog, Notification } from '@jupyterlab/apputils';

import { shareView } from '../../labextension/src/actions/sharing';
import type { IClusterManager, ILinkRequest } from '../../labextension/src/clusters/tokens';
import type { NewLink, SharedLink } from '../../labextension/src/protocol/messages';
import { cluster } from './models';

const LINK: SharedLink = {
  id: '8896cee4',
  ends_at: '2026-01-01T12:00:00.000Z',
  last_opened_at: null,
  created_at: '2026-01-01T10:00:00.000Z',
  by: null,
  opened: 0,
  public: false,
  tasks: false,
  viewers: []
};
const NEW: NewLink = {
  link: LINK,
  path: 'gpucluster/shared/0000abcd/#secret',
  url: null,
  notes: []
};

class Manager {
  asked: ILinkRequest[] = [];
  withdrawn: string[] = [];
  error: Error | null = null;

  constructor(private readonly _links: SharedLink[] = []) {}

  links(): Promise<SharedLink[]> {
    return Promise.resolve(this._links);
  }

  share(_: string, request: ILinkRequest): Promise<NewLink> {
    this.asked.push(request);
    return Promise.resolve(NEW);
  }

  withdraw(_: string, link: string): Promise<void> {
    this.withdrawn.push(link);
    return this.error === null ? Promise.resolve() : Promise.reject(this.error);
  }
}

const settle = (): Promise<void> => new Promise(resolve => setTimeout(resolve, 20));
const open = (): HTMLElement | null => document.querySelector('.jp-Dialog');
const press = (name: string): void =>
  [...document.querySelectorAll<HTMLButtonElement>('.jp-Dialog button')]
    .find(button => button.textContent === name || button.getAttribute('aria-label') === name)!
    .click();

function share(manager: Manager): Promise<void> {
  return shareView(cluster({}), manager as unknown as IClusterManager, 'http://host/base/');
}

let copied: string[] = [];

beforeEach(() => {
  copied = [];
  jest.spyOn(Clipboard, 'copyToSystem').mockImplementation(text => copied.push(String(text)));
});

afterEach(() => {
  Dialog.flush();
  document.querySelectorAll('.jp-Dialog').forEach(node => node.remove());
  jest.restoreAllMocks();
});

it('makes the link that was asked for, and copies it', async () => {
  const manager = new Manager();
  const done = share(manager);
  await settle();
  expect(open()!.textContent).not.toContain('Active links');
  const hours = open()!.querySelector<HTMLInputElement>('input[type=number]')!;
  expect([hours.value, hours.max]).toEqual(['2', '24']);
  hours.value = '0.5';
  open()!.querySelector<HTMLInputElement>('input[type=checkbox]')!.checked = true;
  press('Create link');
  await settle();
  expect(manager.asked).toEqual([{ hours: 0.5, tasks: true }]);
  const shown = open()!.querySelector<HTMLInputElement>('input[aria-label=Link]')!;
  expect([shown.value, shown.readOnly]).toEqual([
    'http://host/base/gpucluster/shared/0000abcd/#secret',
    true
  ]);
  press('Copy link');
  await done;
  expect(copied).toEqual([shown.value]);
  expect(Notification.manager.notifications.map(({ message }) => message)).toEqual([
    'Link copied.'
  ]);
});

it('says why it takes no such number of hours', async () => {
  const done = share(new Manager());
  await settle();
  const hours = open()!.querySelector<HTMLInputElement>('input[type=number]')!;
  const alert = open()!.querySelector('[role=alert]')!;
  const type = (value: string): void => {
    hours.value = value;
    hours.dispatchEvent(new Event('input'));
  };
  for (const wrong of ['-1', '0', '25', '']) {
    type(wrong);
    expect(alert.textContent).toBe('Enter 0.1 to 24 hours.');
  }
  type('24');
  expect(alert.textContent).toBe('');
  press('Cancel');
  await done;
});

it('makes none when it is cancelled, and copies none when it is closed', async () => {
  const manager = new Manager();
  let done = share(manager);
  await settle();
  press('Cancel');
  await done;
  expect(manager.asked).toEqual([]);
  expect(open()).toBeNull();
  done = share(manager);
  await settle();
  press('Create link');
  await settle();
  press('Close');
  await done;
  expect([manager.asked.length, copied]).toEqual([1, []]);
});

it('lists the links that there are as text, and withdraws them', async () => {
  const viewers = [{ name: '<img src=x>', opened: 3, last_opened_at: LINK.ends_at }];
  const opened = { ...LINK, id: '00000001', opened: 3, last_opened_at: LINK.ends_at, viewers };
  const manager = new Manager([LINK, opened]);
  const done = share(manager);
  await settle();
  const rows = [...open()!.querySelectorAll('.gpc-LinkRow')].map(row => row.textContent);
  expect(rows[0]).toContain('8896cee4 · until ');
  expect(rows[0]).toContain('never opened');
  expect(rows[1]).toContain('opened 3 times');
  expect(rows[1]).toContain('<img src=x>');
  expect(open()!.querySelector('img')).toBeNull();
  manager.error = new Error('The registry cannot be written.');
  press('Revoke link 00000001');
  await settle();
  expect(open()!.querySelector('[role=alert]')!.textContent).toBe(
    'The registry cannot be written.'
  );
  manager.error = null;
  press('Revoke link 8896cee4');
  await settle();
  expect(manager.withdrawn).toEqual(['00000001', '8896cee4']);
  const left = [...open()!.querySelectorAll('.gpc-LinkRow')].map(row => row.textContent);
  expect(left).toHaveLength(1);
  expect(left[0]).toContain('00000001');
  expect(open()!.querySelector('[role=status]')!.textContent).toBe('Link 8896cee4 revoked.');
  expect(open()!.querySelector('input')).toBe(document.activeElement);
  expect(open()!.textContent).toContain('Active links');
  press('Revoke link 00000001');
  await settle();
  expect(open()!.textContent).not.toContain('Active links');
  press('Cancel');
  await done;
  expect(manager.asked).toEqual([]);
});
