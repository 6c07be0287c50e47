/** A lot that was enrolled with the former lot model, before an upgrade, after it, and with the former model back. */
import { lotModelIn, shippedLotModel } from '#science/lots/shipped';
import { modelFolderNamed } from '#science/matching/shipped';
import { TestService } from '../../apps/server/test/fixture.js';
import { sentLot, Trader } from '../../apps/server/test/lots.js';

const FORMER = modelFolderNamed('lots-1');
let service: TestService;
let trader: Trader;
beforeAll(async () => {
  service = await TestService.start({ MVS_LOT_MODEL: FORMER });
  trader = await Trader.in(service, 'trader');
});
afterAll(() => service.stop());

const restart = async (lotModel?: string) => {
  await service.service.close();
  delete service.environment.MVS_LOT_MODEL;
  if (lotModel) service.environment.MVS_LOT_MODEL = lotModel;
  await service.open();
};

it('is read with what to do, and checked again once the former model serves', async () => {
  const { enrol: scans, back } = sentLot(0, { stones: 10 });
  const { body: enrolled } = await trader.enrol(scans, { name: 'out' });
  const { body: checked } = await trader.check(enrolled.lot_id, back);
  expect([enrolled.model, checked.to_do]).toEqual([lotModelIn(FORMER).digest, null]);
  const lot = `/lots/${enrolled.lot_id}`;
  const check = `${lot}/checks/${checked.check_id}`;

  await restart();
  const to_do = expect.stringMatching(/^Made with a former lot model: .*Enrol the lot again .*MVS_LOT_MODEL/);
  expect((await trader.get(lot)).body).toMatchObject({ ...enrolled, to_do });
  expect((await trader.get(check)).body).toEqual({ ...checked, to_do });
  expect((await trader.get(`${check}/report`)).status).toBe(200);
  for (const refused of [await trader.check(enrolled.lot_id, back), await trader.rehearse(enrolled.lot_id, {})])
    expect(refused).toMatchObject({ status: 409, body: { detail: expect.stringContaining('MVS_LOT_MODEL') } });
  const { body: again } = await trader.enrol(scans, { name: 'out, again' });
  expect(again.model).toBe(shippedLotModel().digest);

  await restart(FORMER);
  expect((await trader.check(enrolled.lot_id, back)).body).toEqual(checked);
  expect((await trader.check(enrolled.lot_id, back.slice(3))).status).toBe(200);
});
