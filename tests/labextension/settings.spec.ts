import { DefaultSchemaValidator, type ISettingRegistry } from '@jupyterlab/settingregistry';

import { initialSettings, PLUGIN_ID } from '../../labextension/src/settings';
import schema from '../../labextension/schema/plugin.json';

const validator = new DefaultSchemaValidator();

/** What JupyterLab says about the settings of a person. */
function errorsOf(settings: object): unknown[] {
  const errors = validator.validateData({
    id: PLUGIN_ID,
    raw: JSON.stringify(settings),
    data: { composite: {}, user: {} },
    schema: schema as unknown as ISettingRegistry.ISchema,
    version: '1'
  });
  return errors ?? [];
}

it('holds the same until the settings are read as when nobody has changed them', () => {
  const defaults = Object.entries(schema.properties).map(([name, { default: value }]) => [
    name,
    value
  ]);
  expect(initialSettings()).toEqual(Object.fromEntries(defaults));
});

it.each(Object.entries(schema.properties))('%s has a title and a description', (_, property) => {
  expect(property.title).toMatch(/^[A-Z]/);
  expect(property.description).toMatch(/\.$/);
});

it.each([
  { confirmStop: false },
  { dashboardPage: 'individual-task-stream' },
  { gpuLayout: [['gpu'], ['status', 'workers']] },
  { statusBar: 'never' }
])('takes %j', settings => {
  expect(errorsOf(settings)).toEqual([]);
});

it.each([
  { confirmStop: 'yes' },
  { dashboardPage: '../../lab' },
  { dashboardPage: '/status' },
  { dashboardPage: '' },
  { gpuLayout: [] },
  { gpuLayout: ['status'] },
  { cpuLayout: [['https://evil.example']] },
  { pollSeconds: 0 },
  { pollSeconds: 1.5 },
  { statusBar: 'sometimes' },
  { defaultPreset: '' },
  { dashboardInvert: 1 },
  { unknown: true }
])('refuses %j', settings => {
  expect(errorsOf(settings)).not.toEqual([]);
});
