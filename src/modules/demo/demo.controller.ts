import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access } from '../../common/access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../common/access/principal.js';
import { Role } from '../../common/access/role.enum.js';
import { ApiProblems } from '../../common/errors/problem.decorator.js';
import { DemoLinkResponse, DemoResponse, toDemoResponse } from './demo.dto.js';
import { DemoTourService } from './demo-tour.service.js';

@ApiTags('Demo')
@Controller('api/v0/demo')
@Access(Role.Owner)
export class DemoController {
  constructor(private readonly tour: DemoTourService) {}

  /**
   * Says whether there is a demo
   * @remarks An organization of its own with an invented year, of which an installation has at most one. Its own owner may ask
   * as well, but not fill, enter or remove it: that is a 403.
   */
  @Get()
  async getDemo(): Promise<DemoResponse> {
    return toDemoResponse(await this.tour.get());
  }

  /**
   * Fills the demo
   * @remarks In the background, the newest weeks first; it goes on after a restart. Asked again, it adds what is missing, such
   * as the latest days, and nothing while it is being filled or when that was done today.
   */
  @Post()
  @HttpCode(200)
  @ApiProblems('invalid_request')
  async fillDemo(@CurrentPrincipal() caller: Principal): Promise<DemoResponse> {
    return toDemoResponse(await this.tour.start(caller));
  }

  /**
   * Makes a link into the demo
   * @remarks It opens the console as the owner of the demo, once. The browser can go back to the session that it had
   * (`POST /auth/return`). 404 when there is no demo.
   */
  @Post('link')
  @ApiProblems('not_found')
  async createDemoLink(@CurrentPrincipal() caller: Principal): Promise<DemoLinkResponse> {
    return { link: await this.tour.createLink(caller) };
  }

  /**
   * Removes the demo
   * @remarks With everything in it, also while it is being filled. Whoever is in it is signed out.
   */
  @Delete()
  @HttpCode(204)
  async removeDemo(@CurrentPrincipal() caller: Principal): Promise<void> {
    await this.tour.remove(caller);
  }
}
