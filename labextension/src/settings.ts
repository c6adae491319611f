import type { ISettingRegistry } from '@jupyterlab/settingregistry';

/** What a person can set, with what holds until the settings are read. */
export interface IPanelSettings {
  confirmStop: boolean;
  dashboardPage: string;
  defaultPreset: string;
  pollSeconds: number;
}

export function initialSettings(): IPanelSettings {
  return { confirmStop: true, dashboardPage: 'status', defaultPreset: 'auto', pollSeconds: 10 };
}

/** Copy the settings, now and whenever they change. */
export async function followSettings(
  registry: ISettingRegistry,
  plugin: string,
  settings: IPanelSettings,
  onChange: () => void
): Promise<void> {
  const loaded = await registry.load(plugin);
  const copy = (): void => {
    const composite = loaded.composite as Partial<IPanelSettings>;
    Object.assign(settings, initialSettings(), composite);
    onChange();
  };
  loaded.changed.connect(copy);
  copy();
}
