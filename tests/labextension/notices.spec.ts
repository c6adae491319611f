import { Notification } from '@jupyterlab/apputils';
import { Signal } from '@lumino/signaling';

import type { IClusterManager } from '../../labextension/src/clusters/tokens';
import { Notices } from '../../labextension/src/notices';
import type { ClusterModel, Message, MessageCode } from '../../labextension/src/protocol/messages';
import { cluster, message } from './models';

const entry = (second: number, code: MessageCode, text = `It is ${code}.`): Message =>
  message(code, text, { time: `2026-01-01T10:00:0${second}.000Z` });

class Manager {
  isReady = true;
  clusters: ClusterModel[] = [];
  changed = new Signal<this, void>(this);

  now(): number {
    return Date.parse('2026-01-01T10:00:02Z');
  }

  news(...messages: Message[]): void {
    this.clusters = [cluster({ messages })];
    this.changed.emit();
  }
}

let told: string | null = null;
let muted: string[] = [];
let opened: string[] = [];

function notices(manager: Manager): Notices {
  return new Notices({
    manager: manager as unknown as IClusterManager,
    told: { get: () => told, set: at => (told = at) },
    onOpen: ({ id }) => opened.push(id),
    onMute: kind => muted.push(kind)
  });
}

const shown = (): string[] => Notification.manager.notifications.map(({ message }) => message);

beforeEach(() => {
  told = null;
  muted = [];
  opened = [];
  Notification.manager.dismiss();
});

it('tells each piece of news once, and nothing of before the first page', () => {
  const manager = new Manager();
  const old = entry(1, 'spill');
  manager.news(old);
  notices(manager);
  expect(shown()).toEqual([]);
  const done = entry(3, 'done', 'Cell [3] is done after 2 min 0 s.');
  manager.news(old, done);
  manager.news(old, done);
  expect(shown()).toEqual(['blue: Cell [3] is done after 2 min 0 s.']);
});

it('tells what happened while no page was open', () => {
  told = '2026-01-01T10:00:00.500Z';
  const manager = new Manager();
  manager.news(entry(1, 'worker_died'));
  notices(manager);
  expect(shown()).toEqual(['blue: It is worker_died.']);
});

it('shows a toast for what somebody waits for; the rest is in the centre', () => {
  told = '';
  const manager = new Manager();
  notices(manager);
  manager.news(entry(1, 'done'), entry(2, 'worker_died', 'x'.repeat(140)));
  const [died, done] = Notification.manager.notifications;
  expect([done.options.autoClose, done.type]).toEqual([8000, 'success']);
  expect([died.options.autoClose, died.type]).toEqual([0, 'warning']);
  expect(died.message).toHaveLength(140);
});

it('leaves what an instructor says until somebody has read it', () => {
  told = '';
  const manager = new Manager();
  notices(manager);
  manager.news({ ...entry(1, 'message', 'Please stop.'), subject: 'ada' }, entry(2, 'stopped'));
  expect(Notification.manager.notifications.map(({ options }) => options.autoClose)).toEqual([
    false,
    false
  ]);
  expect(Notification.manager.notifications[0].type).toBe('warning');
  expect(shown()).toContain('blue: Instructor ada: Please stop.');
});

it('says that a batch has failed, to whoever wants to know when it is done', () => {
  told = '';
  const manager = new Manager();
  const teller = notices(manager);
  teller.kinds = ['done'];
  manager.news(entry(1, 'not_done', 'training failed after 2 s: ValueError.'));
  const [failed] = Notification.manager.notifications;
  expect([failed.options.autoClose, failed.type]).toEqual([false, 'warning']);
  failed.options.actions?.[1].callback(new MouseEvent('click'));
  expect(muted).toEqual(['done']);
});

it('is quiet about what nobody wants to see again', () => {
  told = '';
  const manager = new Manager();
  const teller = notices(manager);
  manager.news(entry(1, 'spill'));
  const [activity, never] = Notification.manager.notifications[0].options.actions ?? [];
  activity.callback(new MouseEvent('click'));
  expect(opened).toEqual(['a1b2c3d4']);
  never.callback(new MouseEvent('click'));
  expect(muted).toEqual(['spill']);
  teller.kinds = ['done'];
  manager.news(entry(1, 'spill'), entry(2, 'spill'));
  expect(shown()).toHaveLength(1);
});
