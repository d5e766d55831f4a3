// The uniform block that the shaders of the scene share; struct frame of scene/frame.h has the same layout.
//
// World coordinates: z is up, the ground is z = 0, the teapot stands on the origin, the camera looks along
// +y. Lengths are Newell's: the pot is 3.15 high. Radiance is linear; 1 is the white of a display.
layout(std140) uniform Frame {
    mat4 camera;   // world to clip space, shifted within the pixel for this sample
    mat4 shadow;   // world to the shadow map: coordinates and depth, 0 to 1, after division by w
    vec4 turn;     // cosine and sine of the teapot's angle; angle of a pixel; width of the shadow map's blur
    vec4 eye;      // position of the camera
    vec4 ray;      // direction through the middle of the picture; x and y of clip space add ray_x and ray_y
    vec4 ray_x;
    vec4 ray_y;
    vec4 light;    // point of the window for this sample; irradiance at distance 1
    vec4 window;   // centre of the window; radiance
    vec4 window_x; // unit vectors to the right and up; half width and half height
    vec4 window_y;
    vec4 strip;    // a second light, likewise
    vec4 strip_x;
    vec4 strip_y;
    vec4 paint;    // the teapot's colour; 1 for metal
    vec4 finish;   // roughness; reflectance at normal incidence; pattern
};

const float pi = 3.14159265;
