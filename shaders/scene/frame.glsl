// What every shader of the scene knows; struct frame of scene/frame.h is its image in memory.
//
// World: z is up, the ground is z = 0, the teapot stands on the origin, the camera looks along +y. Lengths are Newell's:
// the pot is 3.15 high. Radiance is linear, 1 is the white of a display.
layout(std140) uniform Frame {
    mat4 camera;   // world to clip space, moved within the pixel by this sample
    mat4 shadow;   // world to the shadow map: coordinates and depth, 0 to 1, after division by w
    vec4 turn;     // the teapot's turn: cosine, sine; angle that a pixel spans; width of a shadow's blur on its map
    vec4 eye;      // camera
    vec4 ray;      // through the middle of the picture, and what x and y of clip space add
    vec4 ray_x;
    vec4 ray_y;
    vec4 light;    // this sample's point of the window; irradiance at distance 1
    vec4 window;   // its middle; radiance
    vec4 window_x; // unit vectors across and up; half of width and height
    vec4 window_y;
    vec4 strip;    // a second light, as the window
    vec4 strip_x;
    vec4 strip_y;
    vec4 paint;    // the teapot's colour; 1 for metal
    vec4 finish;   // roughness; reflectance at right angles; pattern
};

const float pi = 3.14159265;
