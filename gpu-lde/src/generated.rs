//! The tables with kernels of their own, as `tests/generated` lists them.

crate::kernels::tables! {
    machine_cpu "c9d610bd132f174ed6fdeada81da066adfab12c616d5aa3d4ea7b86e0b6118a6",
    machine_memory "88c101db51bdbde5c71427a64d4d4b221a13e0d70612ef0d774db5e4848587f4",
    machine_subword "186d86c47dc377b002ac4c9bf239a81822f56671d368479e671bd3e57d067b29",
    machine_misaligned "528639b81498b34d410b55cbf89bdecb007c9464b30f99f66e542212ea331c81",
    machine_io "f7037cc1d01019a7593a0534efa39a8f5bb5db5af48e7b7e2653c2e5b7beaeab",
    machine_boundary "98159f019e9737f77f2284cc0df2bf5e454e82414b8aaec2b060fba5a810c108",
    machine_compare "916efe025e55aea92eb51749298395482f594f49ee4aae6abc3da1c1963f933c",
    machine_bitwise "7ada40688a321c9639e135a0b88a598cc0e7e64b060da78a8ad2d9bf594c1660",
    machine_shift "4a25152ec88a0c8dc518d4b251a4a5b1cad0fd131737461647bbca69422aa41e",
    machine_word "da1e7c85b13b3931812f13675801d58c33173f6c42925300be3c84a6dd3ce37c",
    machine_mul "0e71c13876cf0d041cd27434e874e135c3ffa28b63233c594fd643bf27cb117b",
    machine_divrem "81a26c58aab27e735522be16785ba910b1d4dadf77e073f616f727e02da5a591",
    machine_registers "572a131526c015b53bbfc5e932ea66f2c29b05fbe8f185a5ae95cfee7f2e0445",
    machine_rom "813c58592ae12c5c32627d5f418dada50c4085972d740a40c98f36a1727ae49c",
    machine_image "5e674b71e92065ee4a96d74b7b330484f34c6cc1e0e472c126e0126d53ca5221",
    machine_range16 "d29f9101915cb730bf66b9149eeee64ecaacd4b15005e65fbc590fc56457bbbf",
    machine_bytepair "e7aa87e2b28d3f5b030bc37ed18a9d7627a085171ae22339b99b2946fd89ceaf",
    machine_power "e06581f4213cee43c5c1bfb0f43ca898c5cb461bfa772b849f88ff5361fa2af5",
    demo_fibonacci "bb3ea1c05b8bea09805e46f57aac137fea85cb6698f9399cd752138aa0e380c1",
    demo_keccak "32b2cca8323be192bbabe0a64b7efa4553d339bfe42c205915f6f93f123c624c",
}
