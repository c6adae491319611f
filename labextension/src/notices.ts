import { Notification } from '@jupyterlab/apputils';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ISettingRegistry } from '@jupyterlab/settingregistry';

import { IClusterManager } from './clusters/tokens';
import { trans } from './translation';
import type { ClusterModel, Message } from './protocol/messages';
import { newsOf, textOf } from './clusters/states';
import { NEWS_KINDS, followSettings, initialSettings, PLUGIN_ID } from './settings';
import * as CommandIDs from './actions/commandids';

/** News of clusters in JupyterLab's notification centre. */
export const noticesPlugin: JupyterFrontEndPlugin<void> = {
  id: 'gpucluster:notices',
  description: 'Notifies of events.',
  autoStart: true,
  requires: [IClusterManager],
  optional: [ISettingRegistry],
  activate: (
    app: JupyterFrontEnd,
    manager: IClusterManager,
    registry: ISettingRegistry | null
  ): void => {
    const settings = initialSettings();
    const notices = new Notices({
      manager,
      told: toldInBrowser(app.serviceManager.serverSettings.baseUrl),
      onOpen: ({ id }) => void app.commands.execute(CommandIDs.openActivity, { id }),
      onMute: kind => {
        notices.kinds = settings.notices.filter(other => other !== kind);
        registry?.set(PLUGIN_ID, 'notices', [...notices.kinds]).catch((reason: unknown) => {
          console.error('The settings could not be saved.', reason);
        });
      }
    });
    void followSettings(registry, PLUGIN_ID, settings, () => {
      notices.kinds = settings.notices;
    });
  }
};

/** Kept in this browser for each server: a person may have several pages, and comes back tomorrow. */
function toldInBrowser(server: string): ITold {
  const key = `gpucluster:told:${server}`;
  let here: string | null = null;
  return {
    get: () => {
      try {
        return window.localStorage.getItem(key) ?? here;
      } catch {
        return here; // A browser may keep nothing.
      }
    },
    set: at => {
      here = at;
      try {
        window.localStorage.setItem(key, at);
      } catch {
        // Then news are shown again on the next page.
      }
    }
  };
}

/** JupyterLab shows no more of a message. */
const LONGEST = 140;
/** For results of requests; the others are in the notification centre only. */
const TOAST_MS = 8000;
/** Written by or awaited by a person: they stay until they are dismissed. */
const STAY: readonly string[] = ['message', 'stopped', 'not_done'];

/** Remembers, for all pages of this browser, until when news have been told. */
interface ITold {
  get(): string | null;
  set(at: string): void;
}

/** Tells news of clusters as notifications, each once. */
export class Notices {
  constructor(private readonly _options: Notices.IOptions) {
    _options.manager.changed.connect(this._look, this);
    this._look();
  }

  /** The text. */
  kinds: readonly string[] = NEWS_KINDS;

  private _look(): void {
    const { manager, told } = this._options;
    if (!manager.isReady) {
      return;
    }
    // The first page ever shows nothing of the past.
    const since = told.get() ?? new Date(manager.now()).toISOString();
    const news = manager.clusters
      .flatMap(cluster => newsOf(cluster).map(entry => ({ cluster, entry, at: entry.time ?? '' })))
      .filter(({ at }) => at > since)
      .sort((a, b) => (a.at < b.at ? -1 : 1));
    told.set(news.length > 0 ? news[news.length - 1].at : since);
    for (const { cluster, entry } of news) {
      if (this.kinds.includes(chosenBy(entry.code))) {
        this._tell(cluster, entry);
      }
    }
  }

  private _tell(cluster: ClusterModel, entry: Message): void {
    const { onMute, onOpen } = this._options;
    const message = `${cluster.name}: ${textOf(entry)}`;
    const isDone = entry.code === 'done';
    Notification.emit(
      message.length > LONGEST ? `${message.slice(0, LONGEST - 1)}…` : message,
      isDone ? 'success' : 'warning',
      {
        // Whose cluster was stopped may be away, and finds it when coming back.
        autoClose: isDone ? TOAST_MS : STAY.includes(entry.code) ? false : 0,
        actions: [
          { label: trans.__('Activity'), callback: () => onOpen(cluster) },
          { label: trans.__('Do not show again'), callback: () => onMute(chosenBy(entry.code)) }
        ]
      }
    );
  }
}

export namespace Notices {
  export interface IOptions {
    manager: IClusterManager;
    told: ITold;
    /** Show what has happened to a cluster. */
    onOpen: (cluster: ClusterModel) => void;
    /** Tell no more news of a kind. */
    onMute: (kind: string) => void;
  }
}

/** Whether it reports the end of a batch that the user waits for. */
function isOfBatch(kind: string): boolean {
  return kind === 'done' || kind === 'not_done';
}

/** The kind by which a person chooses to be told or not: who waits for a batch wants to know of either end. */
function chosenBy(kind: string): string {
  return isOfBatch(kind) ? 'done' : kind === 'worker_memory' ? 'worker_died' : kind;
}
